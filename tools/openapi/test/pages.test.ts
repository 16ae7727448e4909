import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { facts, openQuestions, plainAnswers, type QuestionId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { parse, plain } from '../src/gate/read.js';
import { escape, slugOf } from '../src/markdown.js';
import { renderApi } from '../src/pages/api.js';
import { renderHtml } from '../src/pages/api-html.js';
import { type Accepted, renderContractDiff } from '../src/pages/contract-diff.js';
import { NGINX_FILES, renderNginx } from '../src/pages/nginx.js';
import { givenAnswers } from '../src/pages/pages.js';
import { type GivenAnswers, renderQuestions } from '../src/pages/questions.js';
import { HEADINGS, linkSections, SPECIFICATION } from '../src/pages/specification.js';
import { ANSWERED_DOCUMENT } from './answered-document.js';
import { action, gateOf, overlayOf, withHook } from './documents.js';
import { runCli, WORKSPACE } from './run-cli.js';
import { exampleOverlay } from './scenario/documents.js';
import { examplesOf } from '@plant-store/example-answers';

const document = JSON.parse(ANSWERED_DOCUMENT) as Parameters<typeof renderApi>[0]['document'];
/** The document while every question is open: what the specification states. */
const open = plain(
  parse(readFileSync(join(WORKSPACE, 'libs/contract/spec/plant-store.openapi.yaml'), 'utf8'), 'baseline'),
) as typeof document;
const given = (...ids: (keyof typeof exampleAnswers)[]): GivenAnswers =>
  Object.fromEntries(
    ids.map((id) => [
      id,
      { value: plainAnswers(exampleAnswers)[id], inWords: `words of ${id}`, isExecutable: true, does: {} },
    ]),
  );

describe('OPEN_QUESTIONS.md', () => {
  /** The parts of the page, by title, with some example answers entered. */
  const parts = (ids: readonly QuestionId[], stillAccepted?: Accepted): ReadonlyMap<string, string> => {
    const answers = plainAnswers(examplesOf(ids));
    const told = givenAnswers({ answers, overlay: exampleOverlay(ids), document: '' }, stillAccepted);
    const found = renderQuestions(openQuestions, told).matchAll(/^### (.*)\n[^]*?(?=^#|(?![^]))/gm);
    return new Map(Array.from(found, ([text, title = '']) => [title, text]));
  };
  const part = (title: string, ids: readonly QuestionId[], stillAccepted?: Accepted): string =>
    parts(ids, stillAccepted).get(title)!;
  const ids = openQuestions.map(({ id }) => id);

  test('has every question once, by section, and what the software does', () => {
    const page = renderQuestions(openQuestions, {});
    expect(page.match(/^### /gm)).toHaveLength(openQuestions.length);
    for (const { id, question } of openQuestions) {
      expect(page).toContain(`\`${id}\` · open, `);
      expect(page.replace(/\\(?=\W)/g, '')).toContain(question);
    }
  });

  test('begins with an index that has the state of each question', () => {
    const signed = { answeredBy: 'Ada', date: '2026-01-31', reason: 'Minutes' };
    const page = renderQuestions(openQuestions, {
      'http-method': { ...given('http-method')['http-method']!, signed },
      'event-order': { value: 'None.', inWords: 'None.', isExecutable: false, does: {}, signed },
    });
    expect(page.match(/^- \[.+\]\(#.+\): /gm)).toHaveLength(openQuestions.length);
    expect(page).toContain('- [HTTP method](#http-method): answered since 2026-01-31\n');
    expect(page).toContain(
      '- [Order of events](#order-of-events): answered since 2026-01-31, not carried out\n',
    );
    expect(page).toContain('- [Value of {base_url}](#value-of-base_url): open\n');
  });

  test('has the answer, and what the software does because of it', () => {
    expect(part('HTTP method', ['http-method'])).toBe(`### HTTP method

\`http-method\` · answered: PUT

Which HTTP method delivers the notification?

- Receiver: Takes PUT only; other methods get 405.
- Sender: Sends PUT unless the caller passes another \`method\`.
- Document: Shows it in \`webhooks › /plant/webhook › put\`.
- Answered by: nobody
- On: 2026-01-31
- Why: An example.

`);
  });

  test('says what an answer changes only together with others, and with which', () => {
    const alone = part('Plant fields', ['http-method', 'plant-fields']);
    expect(alone).toContain('- Receiver: Reads no field.\n');
    expect(part('Plant fields', ids)).toMatch(
      /^- Receiver: Takes plants .* gets 409\. Depends on `payload`, `media-type`, `status-codes`\.$/m,
    );
  });

  test('has a structure as JSON, and keeps what an answer does not change', () => {
    const text = part('Retry behaviour', ['retry']);
    expect(text).toContain('```json\n{\n  "delays": [');
    expect(text).toContain('- Receiver: Takes each request as a delivery of its own.');
    expect(text).toContain('- Document: Shows nothing.');
  });

  test('says of each surface what the software does, whatever is answered', () => {
    const all = parts(ids);
    for (const { title, whileOpen } of openQuestions) {
      const surfaces = all.get(escape(title))!.match(/^- (Receiver|Sender|Document): ./gm);
      expect([title, surfaces?.length]).toEqual([title, Object.keys(whileOpen).length]);
    }
  });

  test('never says of an answer what the document shows while it is open', () => {
    const ids: QuestionId[] = ['http-method', 'media-type', 'payload', 'plant-fields'];
    for (const title of ['HTTP method', 'Media type', 'Payload', 'Plant fields'])
      expect(part(title, ids)).toMatch(/^- Document: Shows (?:it in|no more than)/m);
  });

  test('keeps what the software does beside an answer in words', () => {
    const text = part('Security of the notification', ['notification-security']);
    expect(text).toContain('answered, not carried out: An example.');
    expect(text).toContain('- Receiver: Requires a bearer token for every delivery');
  });

  test('has what is accepted beside an answer', () => {
    const stillAccepted = {
      'http-method': { also: ['POST', 'PATCH'], until: '2026-12-31', decidedBy: 'Ada', reason: 'Two' },
    };
    expect(part('HTTP method', ['http-method'], stillAccepted)).toContain(
      '\n- Accepted too: POST, PATCH, until 2026-12-31\n',
    );
  });
});

describe('docs/reference/api.md', () => {
  const page = (from: typeof document, answers: GivenAnswers = {}) =>
    renderApi({
      document: from,
      questions: openQuestions,
      given: answers,
      questionsPage: '../OPEN_QUESTIONS.md',
    });

  test('links to the question wherever the document is silent', () => {
    const text = page(open);
    for (const id of ['base-address', 'delivery-target', 'http-method', 'payload', 'receiver-response']) {
      const { title } = openQuestions.find((question) => question.id === id)!;
      expect(text).toContain(`../OPEN_QUESTIONS.md#${slugOf(title)})`);
    }
    expect(text.split('\n').length).toBeLessThan(150);
  });

  test('shows everything that the document states', () => {
    const text = page(document, given('http-method', 'payload'));
    for (const line of [
      '- Method: `PUT`',
      '- Required header `webhook-id`: `{"type":"string"}`',
      '- Required header `plant-store-version`: `{"type":"string","const":"1.0.0"}`',
      '"$ref": "#/components/schemas/Plant"',
      '### Response 409',
      '"taken": true',
      '### Plant\n\n```json\n{\n  "type": "object"',
      '"pattern": "^[a-z|]+$"',
      '- bearerFormat: `example`',
    ])
      expect(text).toContain(line);
  });
});

describe('docs/reference/contract-diff.md', () => {
  test('has the facts, and what is answered, and says if anything differs', () => {
    const overlay = overlayOf(
      action("$.webhooks['/hook']", { post: {} }, { 'x-question': 'http-method', 'x-answer': 'POST' }),
      action('$', undefined, { 'x-question': 'event-order', 'x-answer': 'None.' }),
    );
    const report = gateOf({ document: withHook({ post: {}, 'x-a': 1 }), overlay });
    const text = renderContractDiff(report, {}, 31);
    expect(text).toContain(
      '4 specified, 0 missing, 0 contradicted, 1 invented, 1 answered, 1 not carried out',
    );
    expect(text).toContain('To see where, run `npx nx run webhook:openapi-diff`.');
    expect(text).toContain('| answered | `"POST"` | 1 fact |');
    expect(text).toContain('| not carried out | `"None."` |');
    expect(text).toContain('| webhooks › /hook › summary | `"Hook"` |');
  });

  test('has what is accepted for a while', () => {
    const accepted = { also: ['PUT'], until: '2026-12-31', decidedBy: 'Ada', reason: 'Two senders' };
    const text = renderContractDiff(gateOf({ document: withHook({}) }), { 'http-method': accepted }, 31);
    expect(text).toContain('| http-method | `["PUT"]` | 2026-12-31 | Ada | Two senders |');
  });
});

describe('deploy/', () => {
  const deploy = join(WORKSPACE, 'deploy');
  const read = (file: string): string => readFileSync(join(WORKSPACE, file), 'utf8');
  const times = (seconds: number) => ({ 'time-outs': { delivery: seconds * 1_000, response: 1_000 } });

  test('states the delivery path nowhere but in the files that answers change', () => {
    const files = readdirSync(deploy, { withFileTypes: true }).filter((entry) => entry.isFile());
    const stating = files
      .map(({ name }) => `deploy/${name}`)
      .filter((file) => read(file).includes(facts.DELIVERY_PATH));
    expect(stating.sort()).toEqual([...NGINX_FILES].sort());
  });

  test.each(NGINX_FILES)(
    '%s follows a prefix of the path and longer time-outs, and changes nothing else',
    (file) => {
      const open = renderNginx(read(file), {});
      const answered = renderNginx(open, { 'request-versioning': { pathPrefix: '/v1' }, ...times(90) });
      expect(answered).toContain('\n  location = /v1/plant/webhook {\n');
      for (const part of ['client_body', 'proxy_send', 'proxy_read'])
        expect(answered).toContain(`\n    ${part}_timeout 180s;\n`);
      expect(answered.split('\n').filter((line) => !open.split('\n').includes(line))).toHaveLength(4);
      expect(renderNginx(answered, { 'request-versioning': { inWords: 'In the host.' }, ...times(10) })).toBe(
        open,
      );
    },
  );
});

describe('the specification', () => {
  test('has the headings to which the pages link', () => {
    const text = readFileSync(join(WORKSPACE, SPECIFICATION), 'utf8');
    const headings = Array.from(text.matchAll(/^## (\d)\. (.+)$/gm), ([, number, heading]) => [
      `§${number}`,
      heading,
    ]);
    expect(headings).toEqual(Object.entries(HEADINGS));
  });

  test('is where each section leads, except in code and of an RFC', () => {
    const link = `[§5](../${SPECIFICATION}#5-authentication)`;
    expect(linkSections('(§5; RFC 6750 §3, §3.1, §15) `§5`', '../')).toBe(
      `(${link}; RFC 6750 §3, §3.1, §15) \`§5\``,
    );
  });
});

test('the page of HTML says what the Markdown says, without a script or an address', () => {
  const html = renderHtml(
    '# A \\<b\\>\n\nBelow\n\nText <script>alert(1)</script>\n\n## One\n\n| a |\n| - |\n| `x` |\n',
  );
  expect(html).toContain('<title>A &lt;b&gt;</title>');
  expect(html).toContain('<a href="#one">One</a>');
  expect(html).toContain('<h2 id="one">One</h2>');
  expect(html).not.toContain('<script>');
  expect(html).not.toMatch(/\b(?:src|href)="http/);
});

test('openapi pages --check finds no drift', () => {
  expect(runCli(['pages', '--check'])).toEqual({ code: 0, out: '', err: '' });
});
