import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openQuestions, plainAnswers } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { parse, plain } from '../src/gate/read.js';
import { slugOf } from '../src/markdown.js';
import { renderApi } from '../src/pages/api.js';
import { renderHtml } from '../src/pages/api-html.js';
import { renderContractDiff } from '../src/pages/contract-diff.js';
import { type GivenAnswers, renderQuestions } from '../src/pages/questions.js';
import { HEADINGS, linkSections, SPECIFICATION } from '../src/pages/specification.js';
import { ANSWERED_DOCUMENT } from './answered-document.js';
import { action, gateOf, overlayOf, withHook } from './documents.js';
import { runCli, WORKSPACE } from './run-cli.js';

const document = JSON.parse(ANSWERED_DOCUMENT) as Parameters<typeof renderApi>[0]['document'];
/** The document while every question is open: what the specification states. */
const open = plain(
  parse(readFileSync(join(WORKSPACE, 'libs/contract/spec/plant-store.openapi.yaml'), 'utf8'), 'baseline'),
) as typeof document;
const given = (...ids: (keyof typeof exampleAnswers)[]): GivenAnswers =>
  Object.fromEntries(
    ids.map((id) => [
      id,
      { value: plainAnswers(exampleAnswers)[id], inWords: `words of ${id}`, isCarriedOut: true },
    ]),
  );

describe('OPEN_QUESTIONS.md', () => {
  test('has every question once, by section, and what the software does', () => {
    const page = renderQuestions(openQuestions, {});
    expect(page.match(/^### /gm)).toHaveLength(openQuestions.length);
    for (const { id, question } of openQuestions) {
      expect(page).toContain(`\`${id}\` · open, `);
      expect(page.replace(/\\(?=\W)/g, '')).toContain(question);
    }
    expect(page).toContain(`| All | `);
  });

  test('has the answer in place of what the software did', () => {
    const signed = { answeredBy: 'Ada | Grower', date: '2026-01-31', reason: 'Minutes' };
    const page = renderQuestions(openQuestions, {
      'http-method': { ...given('http-method')['http-method']!, signed },
    });
    expect(page).toContain('`http-method` · answered: words of http-method\n');
    expect(page).toContain('- Answered by: Ada \\| Grower\n- On: 2026-01-31\n- Why: Minutes\n');
    expect(page).not.toContain('Accepts the methods that carry content');
  });

  test('has a structure as JSON', () => {
    expect(renderQuestions(openQuestions, given('retry'))).toContain('```json\n{\n  "delays": [');
  });

  test('keeps what the software does beside an answer in words', () => {
    const words = { value: 'no token', inWords: 'no token', isCarriedOut: false };
    const page = renderQuestions(openQuestions, { 'notification-security': words });
    expect(page).toContain('answered, not carried out: no token');
    expect(page).toContain('- Receiver: Requires a bearer token for every delivery');
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
