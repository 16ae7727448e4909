import { isExecutable, type OpenQuestion, openQuestions } from '@plant-store/contract';
import { given } from '../../test/given.js';
import { exampleAnswers } from '@plant-store/example-answers';
import { prettify } from '../format/markdown.js';
import { renderMarkdown } from '../format/page.js';
import { describeOpenQuestions } from './questions.js';

/** Each "not shown" of the specification, in its order. */
const NOT_SHOWN = [
  ['§1', 'Store operations'],
  ['§2', 'Plant fields'],
  ['§3', 'States and transitions'],
  ['§4', 'HTTP method'],
  ['§4', 'Payload'],
  ['§4', "Receiver's response"],
  ['§5', 'Token issuance'],
  ['§5', 'Token format'],
  ['§5', 'Token lifetime'],
  ['§6', 'Event payload fields'],
  ['§6', 'Triggering operation'],
  ['§6', 'Retry behaviour'],
  ['§6', 'Signing'],
  ['§7', 'Error codes'],
  ['§7', 'Status codes'],
  ['§7', 'Error payloads'],
  ['§8', 'Rate limits'],
  ['§8', 'Size limits'],
  ['§8', 'Time-outs'],
  ['§9', 'Version scheme of requests'],
  ['§9', 'Deprecation policy'],
];

const render = (...[answers, known]: Parameters<typeof given>): Promise<string> =>
  prettify(
    renderMarkdown(describeOpenQuestions(openQuestions, given(answers, known), 'make page')),
    'markdown',
  );

const page = await render({});

describe('OPEN_QUESTIONS.md', () => {
  it('lists each "not shown" of the specification', () => {
    const [, ...parts] = page.split(/^## /m);
    const listed = parts.flatMap((part) =>
      Array.from(
        part.matchAll(/^### (.+)\n\n`.+` · open, not shown in the specification$/gm),
        ([, title]) => [part.slice(0, 2), title],
      ),
    );
    expect(listed).toEqual(NOT_SHOWN);
  });

  it('lists each entry of the register once, and counts them', () => {
    for (const { id } of openQuestions) expect(page.split(`\`${id}\` · `)).toHaveLength(2);
    const found = openQuestions.length - NOT_SHOWN.length;
    const counts = [NOT_SHOWN.length, found, openQuestions.length, 0];
    const [row] = page.split('\n').filter((line) => line.startsWith('| All '));
    expect(row?.split('|').slice(2, -1).map(Number)).toEqual(counts);
  });

  it('says of each open question what the register says, and nothing else', () => {
    const said = Array.from(page.matchAll(/^### (.+?)(?=\n+^##|\n*(?![^]))/gms), ([, text]) => text);
    const want = openQuestions.map(({ id, title, foundBy, question, whileOpen, answer, shows }) => {
      const surfaces: OpenQuestion['whileOpen'] = whileOpen;
      const { receiver, sender, document } = surfaces;
      const effect = isExecutable(id)
        ? 'It shows in'
        : 'It stays in words: the software does not carry it out. It concerns';
      return [
        title,
        `\`${id}\` · open, ${foundBy === 'us' ? 'found by us' : 'not shown in the specification'}`,
        question,
        [
          ...(receiver === undefined ? [] : [`- Receiver: ${receiver}`]),
          ...(sender === undefined ? [] : [`- Sender: ${sender}`]),
          ...(document === undefined ? [] : [`- Document: ${document}`]),
          `- An answer: ${answer} ${effect}: ${shows.join(', ')}.`,
        ].join('\n'),
      ].join('\n\n');
    });
    expect(said.sort()).toEqual(want.sort());
  });

  it('shows an answered question with its answer', async () => {
    const answered = await render({ 'http-method': 'POST' });
    expect(answered).toContain('### HTTP method\n\n`http-method` · answered: `POST`\n');
    expect(answered).not.toContain('`method` is a required option');
    expect(answered).toMatch(new RegExp(`\\| All .* ${openQuestions.length - 1} +\\| 1 +\\|`));
  });

  it('shows each example answer as words, a literal, or JSON', async () => {
    const answered = await render(exampleAnswers);
    expect(answered.match(/^`[a-z-]+` · answered/gm)).toHaveLength(openQuestions.length);
    expect(answered).toContain('`event-order` · answered: An example: none.\n');
    expect(answered).toContain('`size-limits` · answered: `1000`\n');
    const block = (id: string, json: string): RegExp =>
      new RegExp(`\`${id}\` · answered with the value below\n\n.+\n\nAnswer:\n\n\`\`\`json\n${json}`);
    expect(answered).toMatch(block('payload', '{\n  "plantField": "plant"'));
    expect(answered).toMatch(block('plant-fields', '{\n  "type": "object"'));
  });

  it('shows an answer in words with its unit, and who answered, when and why', async () => {
    const stated = { answeredBy: 'Ada *Grower*', date: '2026-02-03', reason: 'Minutes, `item 3`' };
    const answered = await render(
      { 'size-limits': 1000, 'rate-limits': { deliveries: 20, seconds: 60 } },
      { 'size-limits': { inWords: '1000 bytes', stated }, 'rate-limits': { inWords: '20 in 60 s', stated } },
    );
    const by = '- Answered by: Ada \\*Grower\\*\n- On: 2026-02-03\n- Why: Minutes, `item 3`\n';
    expect(answered).toContain(
      `\`size-limits\` · answered: 1000 bytes\n\nHow large may a delivery be?\n\n${by}`,
    );
    expect(answered).toContain('`rate-limits` · answered: 20 in 60 s\n');
    expect(answered).toContain(`${by}\nAnswer:\n\n\`\`\`json\n{\n  "deliveries": 20,\n`);
  });

  it('keeps words from being read as marks', async () => {
    const answered = await render({ 'event-order': 'None, *really*,\nas `a` says' });
    expect(answered).toContain('`event-order` · answered: None, \\*really\\*, as `a` says\n');
  });

  it('refuses a section that the specification does not have', () => {
    const [question] = openQuestions;
    expect(() => describeOpenQuestions([{ ...question, section: '§10' }], {}, 'make page')).toThrow(
      'store-operations names §10',
    );
  });
});
