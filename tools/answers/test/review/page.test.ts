import type { DescribedChange } from '../../src/review/describe-change.js';
import { MAX_PAGE, renderReview, type Review } from '../../src/review/page.js';

const NOTHING: Review = {
  base: 'main',
  note: undefined,
  answers: [],
  changes: '',
  findings: '',
  command: 'review --all',
};

const stated = (answer: unknown) => ({ answer, answeredBy: 'Ada', date: '2026-01-31', reason: 'Minutes' });

const sizeLimit: DescribedChange = {
  question: 'size-limits',
  kind: 'changed',
  before: stated(1000),
  after: stated(2000),
  title: 'Size limits',
  value: '2000 bytes (was 1000 bytes)',
  stated: 'Answered by Ada on 2026-01-31: Minutes of *the* meeting',
  effect: {
    receiver: 'Takes up to 2000 bytes; larger content gets 413.',
    sender: undefined,
    rollout: { order: 'receivers first', reason: 'Old receivers refuse more than 1000 bytes.' },
    step: 'minor',
  },
  accepted: undefined,
};
const method: DescribedChange = {
  ...sizeLimit,
  question: 'http-method',
  kind: 'new',
  before: undefined,
  title: 'HTTP method',
  value: 'PUT',
  effect: {
    receiver: 'Takes PUT only; other methods get 405.',
    sender: 'Sends PUT.',
    rollout: { order: 'senders first', reason: 'Old senders may POST.' },
    step: 'major',
  },
};

const row = (index: number, verdict: string): string =>
  `| change ${index}<br>\`/webhooks/${index}\` | ${verdict} | \`${'x'.repeat(100)}\` |`;
const rows = (count: number, verdict: string): string =>
  Array.from({ length: count }, (_, index) => row(index, verdict)).join('\n');
const HEAD = '| Change | For a receiver | After |\n| --- | --- | --- |';

test('nothing to say is an empty page', () => {
  expect(renderReview({ ...NOTHING, note: 'This is the first push.' })).toBe('');
});

test('an answer with its value, who, when and why, and what it means for both sides', () => {
  expect(renderReview({ ...NOTHING, answers: [sizeLimit] })).toBe(`## Answers since main

**1 changed. Version step: minor.**

### Size limits: changed

- Answer to \`size-limits\`: 2000 bytes (was 1000 bytes)
- Answered by Ada on 2026-01-31: Minutes of \\*the\\* meeting
- Receiver: Takes up to 2000 bytes; larger content gets 413.
- Sender: Nothing changes.
- Roll out: **receivers first**. Old receivers refuse more than 1000 bytes.
- Version step: minor
`);
});

test('answers with the larger version step come first; opposite orders are pointed out', () => {
  const page = renderReview({ ...NOTHING, answers: [sizeLimit, method] });
  expect(page).toContain(
    '\n**1 new, 1 changed. Version step: major.**\n\nSome of these answers need receivers first, others senders first: roll them out one after the other.\n\n### HTTP method: new\n',
  );
  expect(page.indexOf('### HTTP method')).toBeLessThan(page.indexOf('### Size limits'));
});

test('a question that the register does not have is listed without an effect', () => {
  const page = renderReview({
    ...NOTHING,
    answers: [{ ...sizeLimit, title: 'unheard-of', effect: undefined }],
  });
  expect(page).toContain('**1 changed. Version step: none.**');
  expect(page).not.toContain('Roll out');
});

test('answers, changes and findings, in this order, below what to know about the base', () => {
  const page = renderReview({
    ...NOTHING,
    note: 'This is the first push.',
    answers: [method],
    changes: '**1 breaking**\n',
    findings: '**1 missing**\n',
  });
  expect(page.match(/^(?:This|##? |\*\*).*$/gm)).toEqual([
    'This is the first push.',
    '## Answers since main',
    '**1 new. Version step: major.**',
    '## Changes of the document since main',
    '**1 breaking**',
    '## The document differs from what is stated',
    '**1 missing**',
  ]);
});

describe('whatever changes', () => {
  const long = 'long '.repeat(5_000);
  const answers = Array.from({ length: 60 }, (_, index): DescribedChange => ({
    ...method,
    title: `Question ${index}`,
    value: long,
    stated: long,
  }));
  const changes = `**3000 breaking**\n\n${HEAD}\n${rows(3_000, 'breaking')}\n\n<details>\n<summary>9 not breaking</summary>\n\n${HEAD}\n${rows(9, 'not breaking')}\n\n</details>\n`;
  const findings = `**900 missing**\n\n${HEAD}\n${rows(900, 'missing')}\n`;

  test.each([
    ['answers', { answers }],
    ['changes', { changes }],
    ['findings', { findings }],
    ['all of them', { answers, changes, findings }],
  ])('a page of many %s has at most 60,000 characters, and says how many more there are', (_name, given) => {
    const page = renderReview({ ...NOTHING, ...given });
    expect(page.length).toBeLessThanOrEqual(60_000);
    if (!('answers' in given)) expect(page.length).toBeGreaterThan(59_000);
    expect(page).toMatch(/^and \d+ more (answer|change|finding)s: `review --all`$/m);
  });

  test('every part has room, and nothing is lost from the counts', () => {
    const page = renderReview({ ...NOTHING, answers, changes, findings });
    expect(page.length).toBeGreaterThan(50_000);
    const count = (pattern: RegExp) => page.match(pattern)?.length ?? 0;
    const more = (what: string) => Number(new RegExp(`^and (\\d+) more ${what}s`, 'm').exec(page)![1]);
    expect(count(/^### /gm) + more('answer')).toBe(60);
    expect(count(/ breaking \|/gm) + more('change')).toBe(3_009);
    expect(count(/ missing \|/gm) + more('finding')).toBe(900);
    for (const part of [/^### /gm, / breaking \|/gm, / missing \|/gm])
      expect(count(part)).toBeGreaterThan(10);
  });

  test('breaking changes come before the rest', () => {
    const some = `**1 breaking**\n\n${HEAD}\n${row(0, 'breaking')}\n\n<details>\n<summary>3000 not breaking</summary>\n\n${HEAD}\n${rows(3_000, 'not breaking')}\n\n</details>\n`;
    const page = renderReview({ ...NOTHING, changes: some });
    expect(page).toContain('| breaking |');
    expect(page).toMatch(/\n<\/details>\n\nand \d+ more changes: `review --all`\n$/);
  });

  test('the whole page is there for who asks for it', () => {
    const page = renderReview({ ...NOTHING, answers, changes, findings }, Infinity);
    expect(page).toContain(rows(3_000, 'breaking'));
    expect(page.length).toBeGreaterThan(MAX_PAGE);
    expect(page).not.toContain('review --all');
  });
});
