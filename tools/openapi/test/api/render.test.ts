import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answers, answers, openQuestions } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { parse } from 'yaml';
import { renderHtml } from '../../src/format/html.js';
import { prettify, STYLE } from '../../src/format/markdown.js';
import { type Block, type Page, renderMarkdown, type Section, type Text } from '../../src/format/page.js';
import { WORKSPACE } from '../run-cli.js';
import { ANSWERED_DOCUMENT } from './answered-document.js';
import { describeExample } from './describe-example.js';

const published = readFileSync(join(WORKSPACE, 'apps/webhook/openapi.json'), 'utf8');

/** The document while every question is open, whatever is answered by now. */
const open = JSON.stringify(
  parse(readFileSync(join(WORKSPACE, 'libs/contract/spec/plant-store.openapi.yaml'), 'utf8')),
);

const SOME_ANSWERS: Answers = {
  'http-method': 'PUT',
  'deprecation-policy': 'Announced *before*, in words with `code`.',
  retry: { delays: [1, 2], statuses: 'all', withoutResponse: true },
};

/** Words that Markdown or HTML would read as marks. */
const MARKS = [
  ...['# a', '1. b', '+ c', '- d', '> e', '_f_ g_h *i*', '[j](k) <l> &copy; m', '$n$ ~~o~~ \\p', '| q | r'],
  ...['= s', '2) t', '<b>', 'u `v` w', '{base_url}', "it's & <c>"],
];
const marks: Page = {
  title: 'Marks _and_ *words*',
  subtitle: 'A & B < C',
  blocks: [],
  sections: MARKS.map((words, index) => ({
    id: words,
    title: words,
    blocks: [
      { kind: 'paragraph', text: [words, { to: MARKS[index - 1] ?? words, text: words }] },
      { kind: 'list', items: [{ name: words, value: [words, { code: words }] }] },
      { kind: 'table', caption: words, head: ['Words', 'Code'], rows: [[[words], [{ code: `a${words}` }]]] },
    ],
  })),
  generator: 'npx nx run openapi:api',
  sources: ['a', 'b'],
};

const pages: [string, Page][] = [
  ['the published document', describeExample(published, answers)],
  ['a document with some answers', describeExample(open, SOME_ANSWERS)],
  ['a document with all example answers', describeExample(ANSWERED_DOCUMENT, exampleAnswers)],
  ['words that look like marks', marks],
];

const markdownOf = (page: Page): Promise<string> => prettify(renderMarkdown(page), 'markdown');

const wordsOf = (text: Text): string =>
  text.map((span) => (typeof span === 'string' ? span : 'code' in span ? span.code : span.text)).join('');

/** All that a page says, in order. */
function saidIn({ title, subtitle = '', blocks, sections }: Page): string[] {
  const ofBlock = (block: Block): string[] => {
    switch (block.kind) {
      case 'paragraph':
        return [wordsOf(block.text)];
      case 'list':
        return block.items.flatMap(({ name, value }) => [name, wordsOf(value)]);
      case 'code':
        return [block.caption, block.code];
      case 'table':
        return [...block.head, ...block.rows.flat().map(wordsOf)];
    }
  };
  const ofSection = (section: Section): string[] => [
    section.title,
    ...section.blocks.flatMap(ofBlock),
    ...(section.sections ?? []).flatMap(ofSection),
  ];
  return [title, subtitle, ...blocks.flatMap(ofBlock), ...sections.flatMap(ofSection)];
}

const readHtml = (html: string): string =>
  html
    .slice(html.indexOf('<header>'))
    .replace(/<nav[^]*<\/nav>/, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

const readMarkdown = (markdown: string): string =>
  markdown
    .replace(/(?<!\\)\]\(#[^)]*\)/g, '')
    .replace(/(?<!\\)\[/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');

/** What is not in a text, after what came before it. Space and back quotes are not compared. */
function missingIn(text: string, said: readonly string[]): string[] {
  const squeeze = (words: string): string => words.replace(/[\s`\\[\]]+/g, '');
  const squeezed = squeeze(text);
  let at = 0;
  return said.filter((words) => {
    const found = squeezed.indexOf(squeeze(words), at);
    if (found !== -1) at = found;
    return found === -1;
  });
}

describe.each(pages)('%s', (_name, page) => {
  const html = renderHtml(page);

  test('HTML and Markdown say all of it, in the same order', async () => {
    expect(missingIn(readHtml(html), saidIn(page))).toEqual([]);
    expect(missingIn(readMarkdown(await markdownOf(page)), saidIn(page))).toEqual([]);
  });

  test('the Markdown passes the gate of the format', async () => {
    const markdown = await markdownOf(page);
    expect(await prettify(markdown, 'markdown')).toBe(markdown);
  });

  test('every link of the HTML leads to one place on the page; nothing leads out', () => {
    const ids = Array.from(html.matchAll(/ id="([^"]*)"/g), ([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
    const links = Array.from(html.matchAll(/ href="([^"]*)"/g), ([, link]) => link ?? '');
    expect(links.filter((link) => !ids.includes(link.slice(1)) || !link.startsWith('#'))).toEqual([]);
    expect(html).not.toMatch(/\ssrc=|@import|url\(|<(?:script|link|img|iframe|object|embed|base)\b/i);
  });

  test('every link of the Markdown has the fragment of the HTML', async () => {
    const links = Array.from((await markdownOf(page)).matchAll(/(?<!\\)\]\(#([^)]*)\)/g), ([, link]) => link);
    expect(links.filter((link) => !html.includes(` id="${link}"`))).toEqual([]);
  });
});

test('pages are laid out in the style of the workspace', () => {
  expect(STYLE).toEqual(JSON.parse(readFileSync(join(WORKSPACE, '.prettierrc.json'), 'utf8')));
});

describe('what is open', () => {
  test('is listed, each question once, with what the software does while it is open', async () => {
    const page = await markdownOf(describeExample(open));
    for (const { id, whileOpen } of openQuestions) {
      expect(page.split(`\n\`${id}\` · open, `)).toHaveLength(2);
      expect(missingIn(readMarkdown(page), Object.values(whileOpen))).toEqual([]);
    }
  });

  test('stands as open where an answer would stand, and nothing but the specification is stated', async () => {
    const page = await markdownOf(describeExample(open));
    expect(page.slice(page.indexOf('# '), page.indexOf('### §1')).trim().split('\n\n')).toEqual([
      '# OpenAPI Plant Store',
      'Version 1.0.0 · MIT licence · OpenAPI 3.1.0',
      'This page shows what the OpenAPI document states, and each question that the specification leaves open.',
      [
        '- Webhook: [New Plant](#new-plant)',
        '- Request paths: none',
        '- Base address: `{base_url}`, [open: Value of {base_url}](#value-of-base_url)',
        '- Authentication: [bearerAuth](#bearerauth)',
        `- Open questions: [${openQuestions.length}](#what-is-open)`,
      ].join('\n'),
      '## New Plant',
      'Information about a new plant added to the store',
      [
        '- Delivery path: `/plant/webhook`, [open: What the delivery path is resolved against](#what-the-delivery-path-is-resolved-against)',
        '- Method: [open: HTTP method](#http-method)',
        '- Payload: [open: Payload](#payload)',
        "- Response: [open: Receiver's response](#receivers-response)",
        '- Authentication: [bearerAuth](#bearerauth), [open: Security of the notification](#security-of-the-notification)',
      ].join('\n'),
      '## Authentication',
      '- Default requirement of the interface: [bearerAuth](#bearerauth)',
      '### bearerAuth',
      '- type: `http`\n- scheme: `bearer`',
      'A request is authenticated by a header of this form (§5; RFC 6750 §2.1):',
      '```http\nAuthorization: Bearer <ACCESS_TOKEN>\n```',
      '## What is open',
      'The specification leaves these open, and nobody has answered them. Until then the software does what is said here. None of it is promised.',
    ]);
  });

  test('is listed with its answer once there is one, and no longer as open', async () => {
    const page = await markdownOf(describeExample(open, SOME_ANSWERS));
    const [before = '', after = ''] = page.split('## What is open');
    expect(before).toContain('\n`http-method` · answered: `PUT`\n');
    expect(before).toContain('· answered: Announced \\*before\\*, in words with `code`.\n');
    expect(before).toContain(`- Open questions: [${openQuestions.length - 3}](#what-is-open)`);
    expect(after).not.toContain('`http-method`');
  });
});

describe('once every question has its example answer', () => {
  const page = describeExample(ANSWERED_DOCUMENT, exampleAnswers);

  test('nothing is open', async () => {
    const markdown = await markdownOf(page);
    expect(markdown).not.toContain('## What is open');
    expect(markdown).not.toContain('[open: ');
    for (const { id } of openQuestions) expect(markdown.split(`\n\`${id}\` · answered`)).toHaveLength(2);
  });

  test.each([
    '- Base address: `{base_url}`, where `base_url` is `https://receiver.example`\n',
    '- Method: `PUT`\n',
    '- Required header: `webhook-id`: string\n',
    '- Required header: `plant-store-version`: string, `const: 1.0.0`\n',
    '#### 200\n\nThe plant was taken.\n\n- Media type: `application/json`\n\nExample\n\n```json\n{\n  "taken": true\n}\n',
    '#### 202\n\nKept\n\n- Media type: `text/plain`\n\nExample\n\n````text\nplain ``` text\n````\n',
    '### Payload\n\nThe plant and its event.\n\nRequired.\n\n- Media type: `application/json`\n',
    '#### 204\n\nNothing to say\n\nWithout content.\n',
    '#### 409\n\nThe plant is not as agreed.\n\n- Media type: `application/problem+json`\n- Schema: [ErrorPayload](#errorpayload)\n',
    '- bearerFormat: `example`\n',
  ])('the page shows what the document states: %j', async (part) => {
    expect(await markdownOf(page)).toContain(part);
  });

  test.each([
    '| (all of it) | object, and all of the numbered parts | | |',
    '| `plant` | [Plant](#plant) | yes | |',
    '| `event.id` | string | no | `format: uuid` |',
    '| `(1)` | [NewPlantEvent](#newplantevent) | | |',
    '| (all of it) | object | | A plant: it may stand in \\*a\\* pot \\<b\\>. `additionalProperties: false` |',
    '| `name` | string | yes | `minLength: 1`, `pattern: ^[a-z\\|]+$` |',
    '| `sizes` | array of integer | no | `maxItems: 3` |',
    '| `sizes[]` | integer | | `minimum: 0` |',
    '| `pot` | [Plant.\\$defs.Pot](#plant) | no | |',
    '| `parent(1)` | [Plant](#plant) | | |',
    '| `anything` | anything | no | |',
    '| `$defs.Pot.size` | integer | no | In centimetres. |',
  ])('a schema has a row for each field: %s', (row) => {
    expect(renderMarkdown(page)).toContain(`${row}\n`);
  });

  test.each([
    ['words', '`event-order` · answered: An example: none.\n'],
    ['a text that is a value', '`media-type` · answered: `application/json`\n'],
    ['a number', '`size-limits` · answered: `1000`\n'],
    ['a structure', '\nAnswer:\n\n```json\n{\n  "delays": [100, 200],\n'],
    ['a schema', '\nAnswer:\n\n```json\n{\n  "type": "object",\n'],
  ])('an answer is shown as %s', async (_name, want) => {
    expect(await markdownOf(page)).toContain(want);
  });
});
