import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnswerValues, isExecutable, openQuestions } from '@plant-store/contract';
import { exampleAnswers, examplesOf } from '@plant-store/example-answers';
import { Marked } from 'marked';
import { code, codeBlock, escape, slugOf, table } from '../src/markdown.js';
import { type InterfaceDocument, renderApi } from '../src/pages/api.js';
import { renderHtml } from '../src/pages/api-html.js';
import { renderContractDiff } from '../src/pages/contract-diff.js';
import { lineToPaste, renderQuestions } from '../src/pages/questions.js';
import { HEADINGS, linkSections, SPECIFICATION } from '../src/pages/specification.js';
import type { Ledger } from '../src/ledger.js';
import { BY, ledgerOf, ROOT, writeDocument } from './built.js';
import { runCli } from './run-cli.js';

const EXAMPLES = readFileSync(join(ROOT, 'libs/example-answers/src/example-answers.ts'), 'utf8');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('OPEN_QUESTIONS.md', () => {
  /** The parts of the page, by title, with these answers entered. */
  async function partsOf(answers: AnswerValues, more: Ledger = {}): Promise<ReadonlyMap<string, string>> {
    const page = renderQuestions({ ...(await ledgerOf(answers)), ...more }, EXAMPLES);
    const found = page.matchAll(/^### (.*)\n[^]*?(?=^#|(?![^]))/gm);
    return new Map(Array.from(found, ([text, title = '']) => [title, text]));
  }

  test('has every question once, by section, and the line to paste', () => {
    const page = renderQuestions({}, EXAMPLES);
    expect(page.match(/^### /gm)).toHaveLength(openQuestions.length);
    for (const { id, question } of openQuestions) {
      expect(page).toContain(`\`${id}\` · open, `);
      expect(page.replace(/\\(?=\W)/g, '')).toContain(question);
      expect(page).toContain(`\n${lineToPaste(id, EXAMPLES)}\n\`\`\``);
    }
  });

  test('begins with an index that has the state of each question', async () => {
    const ledger = {
      ...(await ledgerOf({ 'http-method': 'PUT' })),
      'event-order': { inWords: 'None.', ...BY },
    };
    const page = renderQuestions(ledger, EXAMPLES);
    const [, index = ''] = /\n\n(- .*?)\n\n/s.exec(page)!;
    expect(index.match(/\]\(#/g)).toHaveLength(openQuestions.length);
    expect(index).toContain('[HTTP method](#http-method) (answered since 2026-01-31)');
    expect(index).toContain(
      '[Order of events](#order-of-events) (answered since 2026-01-31, not carried out)',
    );
    expect(index).toContain('[Store operations](#store-operations) · [Value');
    expect(page).toContain(`**${openQuestions.length - 2} of ${openQuestions.length} questions are open.**`);
  });

  test('has the answer, what the software does because of it, and who gave it', async () => {
    expect((await partsOf({ 'http-method': 'PUT' })).get('HTTP method')).toBe(`### HTTP method

\`http-method\` · answered: \`"PUT"\`

Which HTTP method delivers the notification?

- Receiver: Accepts this method alone. Any other gets 405.
- Sender: Sends this method unless the caller passes another \`method\`.
- Document: An operation of this method.
- Answered by: Nobody
- On: 2026-01-31
- Why: An example.

`);
  });

  test('says which open questions keep an answer from showing', async () => {
    const alone = await partsOf(examplesOf(['http-method', 'plant-fields']));
    expect(alone.get('Plant fields')).toContain(
      '- Shows only beside an answer to: `payload`, `media-type`\n',
    );
    expect((await partsOf(exampleAnswers)).get('Plant fields')).not.toContain('Shows only beside');
  });

  test('has a structure as JSON, and keeps what an answer does not change', async () => {
    const text = (await partsOf(examplesOf(['retry']))).get('Retry behaviour')!;
    expect(text).toContain('```json\n{\n  "delays": [');
    expect(text).toContain('- Receiver: Takes each request as a delivery of its own.');
    expect(text).toContain('- Document: Shows nothing.');
  });

  test('says of each surface what the software does, whatever is answered', async () => {
    const all = await partsOf(exampleAnswers);
    for (const { title, whileOpen } of openQuestions) {
      const surfaces = all.get(escape(title))!.match(/^- (Receiver|Sender|Document): ./gm);
      expect([title, surfaces?.length]).toEqual([title, Object.keys(whileOpen).length]);
    }
  });

  test('keeps what the software does beside an answer in words', async () => {
    const text = (await partsOf({}, { 'notification-security': { inWords: 'Yes.', ...BY } })).get(
      'Security of the notification',
    );
    expect(text).toContain('answered, not carried out: Yes.');
    expect(text).toContain('- Receiver: Requires a bearer token for every delivery');
  });
});

describe('the line to paste', () => {
  test('is an entry of answers.ts with the example of the question', () => {
    const lines = openQuestions.map(({ id }) => lineToPaste(id, EXAMPLES)).join('\n');
    expect(lines).not.toContain('undefined');
    for (const { id } of openQuestions)
      expect(lines).toContain(
        isExecutable(id) ? `${id.includes('-') ? `'${id}'` : id}: {` : `'${id}': { inWords: '…'`,
      );
    const code = lines.replaceAll('z.', 'schema.');
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- the lines are code
    const entries = new Function('schema', `return {\n${code}\n}`)(anySchema()) as Record<
      string,
      { is?: unknown }
    >;
    expect(Object.keys(entries)).toEqual(openQuestions.map(({ id }) => id));
    for (const [id, { is }] of Object.entries(entries)) {
      if (!isExecutable(id) || id.endsWith('-fields')) continue;
      expect([id, is]).toEqual([id, exampleAnswers[id]]);
    }
  });

  /** Something of which every member can be called. */
  function anySchema(): unknown {
    const schema: unknown = new Proxy(() => schema, { get: () => schema });
    return schema;
  }
});

beforeEach(() => process.chdir(ROOT));

describe('docs/reference/api.md', () => {
  const page = async (answers: AnswerValues) =>
    renderApi({
      document: JSON.parse(await writeDocument(answers)) as InterfaceDocument,
      ledger: await ledgerOf(answers),
      questionsPage: '../OPEN_QUESTIONS.md',
    });

  test('links to the question wherever the document is silent', async () => {
    const text = await page({});
    for (const id of ['base-address', 'delivery-target', 'http-method', 'payload', 'receiver-response']) {
      const { title } = openQuestions.find((question) => question.id === id)!;
      expect(text).toContain(`../OPEN_QUESTIONS.md#${slugOf(title)})`);
    }
    expect(text.split('\n').length).toBeLessThan(150);
  });

  test('shows everything that the document states', async () => {
    const text = await page(exampleAnswers);
    for (const line of [
      '- Method: `PUT`',
      '- Required header `webhook-id`: `{"type":"string"}`',
      '- Required header `plant-store-version`: `{"type":"string","const":"1.0.0"}`',
      '### Payload\n\n```json\n{\n',
      '"$ref": "#/components/schemas/Plant"',
      '### Response 409\n\n```json\n{\n  "description": "The plant is not as agreed."',
      '"taken": true',
      '### Plant\n\n```json\n{\n  "type": "object"',
      '- bearerFormat: `example`',
    ])
      expect(text).toContain(line);
  });
});

test('docs/reference/contract-diff.md has the facts, each answer with what it shows, and says if anything differs', async () => {
  const document = await writeDocument({ 'http-method': 'POST' });
  const ledger = {
    ...(await ledgerOf({ 'http-method': 'POST' })),
    'event-order': { inWords: 'None.', ...BY },
  };
  const text = renderContractDiff({ document: document.replace('"servers"', '"tags":[],"servers"'), ledger });
  expect(text).toContain('11 specified, 0 missing, 0 contradicted, 1 invented, 1 answered, [29 open]');
  expect(text).toContain('To see where, run `npx nx run webhook:openapi-diff`.');
  expect(text).toContain('| answered | `"POST"` | webhooks › /plant/webhook › post: {} |');
  expect(text).toContain('| not carried out | `None.` | nothing |');
  expect(text).toContain('| webhooks › /plant/webhook › summary | `"New Plant"` | §4 |');
});

test.each(['a|b', String.raw`a\\|b`, String.raw`a\\\\|b`, '`|', '<b>|'])(
  '%s stays in its cell',
  async (text) => {
    const html = await new Marked().parse(table(['A', 'B'], [[code(text), escape(text)]]));
    expect(html.match(/<td>/g)).toHaveLength(2);
    expect(html.match(/<code>/g)).toHaveLength(1);
  },
);

test('no page has what turns the direction of text, nor half a character, which no file can have', () => {
  const text = 'a\u202eb\ud800';
  const shown = String.raw`a\u202eb\ud800`;
  expect([escape(text), code(text), codeBlock(`${text}\n${text}`)]).toEqual([
    String.raw`a\\u202eb\\ud800`,
    `\`${shown}\``,
    `\`\`\`\n${shown}\n${shown}\n\`\`\``,
  ]);
});

describe('the specification', () => {
  test('has the headings to which the pages link', () => {
    const headings = Array.from(read(SPECIFICATION).matchAll(/^## (\d)\. (.+)$/gm), ([, number, heading]) => [
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
