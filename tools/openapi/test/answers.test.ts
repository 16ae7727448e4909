import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { type Answers, openQuestions } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { format } from 'prettier';
import { writeAnswers } from '../src/answers/answers-file.js';
import { documentOf } from './documents.js';
import { inFolder, runCli, WORKSPACE } from './run-cli.js';

const IDS = openQuestions.map(({ id }) => id);
const HOOK = documentOf({ webhooks: { '/hook': { summary: 'Hook' } } });
const SCENARIOS: [string, Answers][] = [
  ['everything open', {}],
  ['example answers', exampleAnswers],
];

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly reason?: string }[];
  readonly answers: readonly {
    readonly state: string;
    readonly question: string;
    readonly advice: readonly { readonly text: string; readonly lines?: string }[];
  }[];
}

/** The answers of the code as a file. */
function fileOf(answers: Answers): string {
  const written = writeAnswers(answers, IDS);
  if ('faults' in written) throw new Error(written.faults.join('\n'));
  return written.text;
}

interface Given {
  readonly answers: Answers;
  readonly overlay?: string | undefined;
  /** The document says no more than it. */
  readonly baseline?: string;
}

function diff(given: Given, format = 'json') {
  const { baseline = HOOK } = given;
  const overlay = given.overlay === undefined ? {} : { 'o.yaml': given.overlay };
  const source = `export const answers = {\n  retry: {},\n};\n`;
  return inFolder(
    {
      'b.yaml': baseline,
      'd.yaml': baseline,
      'a.json': fileOf(given.answers),
      'libs/contract/src/answers.ts': source,
      ...overlay,
    },
    (folder) =>
      runCli(
        [
          'diff',
          ...['--baseline', 'b.yaml', '--document', 'd.yaml', '--overlay', 'o.yaml'],
          ...['--answers', 'a.json', '--format', format],
        ],
        folder,
      ),
  );
}

const reportOf = (given: Given): Report => JSON.parse(diff(given).out) as Report;

/** What a person makes of the lines to add: the same, with who, when and why. */
const filledIn = (lines: string) =>
  lines
    .replaceAll('<who answered>', 'A. Person')
    .replaceAll('<when, as 2026-01-31>', '2026-01-31')
    .replaceAll('<why, or where to read it>', 'Minutes');

/** The overlay that the gate itself asks for, line by line. */
const overlayFor = (answers: Answers): string =>
  reportOf({ answers })
    .answers.flatMap(({ advice }) => advice.flatMap(({ lines = [] }) => lines))
    .map(filledIn)
    .join('\n');

const OVERLAY = overlayFor(exampleAnswers);

describe.each(SCENARIOS)('with %s', (_name, answers) => {
  const asked = Object.keys(answers);

  it('the gate asks for what is in the code alone, and passes with the lines that it prints', () => {
    const before = reportOf({ answers });
    expect(before.answers.map(({ question, state }) => [question, state])).toEqual(
      asked.map((id) => [id, 'missing answer']),
    );
    expect(before.counts['unmatched answer']).toBe(asked.length);
    const overlay = overlayFor(answers) || undefined;
    expect(diff({ answers, overlay }).code).toBe(0);
    expect(reportOf({ answers, overlay }).answers.map(({ state }) => state)).toEqual(
      asked.map(() => 'answered'),
    );
  });
});

it('the overlay of the example answers equals them', () => {
  const overlay = readFileSync(join(WORKSPACE, 'libs/example-answers/example-answers.overlay.yaml'), 'utf8');
  const baseline = readFileSync(join(WORKSPACE, 'libs/contract/spec/plant-store.openapi.yaml'), 'utf8');
  const { answers, findings } = reportOf({ answers: exampleAnswers, overlay, baseline });
  expect(answers.map(({ question }) => question).sort()).toEqual([...IDS].sort());
  expect(answers.filter(({ state }) => state !== 'answered')).toEqual([]);
  expect(findings.filter(({ reason }) => reason !== 'not shown')).toEqual([]);
});

it('printed lines are refused until a person fills them in', () => {
  const [first] = reportOf({ answers: { retry: exampleAnswers.retry } }).answers[0]?.advice ?? [];
  expect(diff({ answers: {}, overlay: first?.lines })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/`x-date` is `<when, as 2026-01-31>`/) as string,
  });
});

describe('an answer of the overlay alone', () => {
  const { answers } = reportOf({ answers: {}, overlay: OVERLAY });

  it('is missing in the code; the gate prints the line to add', () => {
    expect(answers.map(({ question, state }) => [question, state])).toEqual(
      Object.keys(exampleAnswers).map((id) => [id, 'missing answer']),
    );
    const lines = Object.fromEntries(answers.map(({ question, advice }) => [question, advice[0]?.lines]));
    expect(lines).toMatchObject({
      'http-method': `  'http-method': 'PUT',`,
      'size-limits': `  'size-limits': 1000,`,
      payload: `  payload: { plantField: 'plant' },`,
      'plant-fields': `  'plant-fields': <a schema>,`,
    });
  });

  it('prints lines that are formatted, and equal the answer once pasted', async () => {
    const schemas = ['plant-fields', 'event-payload-fields'];
    const lines = answers
      .filter(({ question }) => !schemas.includes(question))
      .flatMap(({ advice }) => advice.flatMap(({ lines = [] }) => lines));
    const object = `{\n${lines.join('\n')}\n}`;

    expect(runInNewContext(`(${object})`)).toEqual(
      Object.fromEntries(Object.entries(exampleAnswers).filter(([id]) => !schemas.includes(id))),
    );
    const source = `export const answers = ${object} as const;\n`;
    expect(await format(source, { parser: 'typescript', singleQuote: true, printWidth: 110 })).toBe(source);
  });

  it('asks for a Standard Schema where the answer is a schema', () => {
    const [advice] = answers.find(({ question }) => question === 'plant-fields')?.advice ?? [];
    expect(advice?.text).toMatch(
      /Add to libs\/contract\/src\/answers\.ts a Standard Schema.*"heightInCentimetres"/,
    );
  });
});

it('an answer that was changed on one side contradicts the other; the gate prints both values and places', () => {
  const overlay = overlayFor({ retry: exampleAnswers.retry });
  const answers: Answers = { retry: { ...exampleAnswers.retry, withoutResponse: false } };
  const { code, out } = diff({ answers, overlay }, 'text');
  expect(code).toBe(1);
  expect(out).toBe(`contradicting answers: retry
  overlay        {"delays":[100,200],"statuses":[429,503],"withoutResponse":true}   o.yaml:9
  code           {"delays":[100,200],"statuses":[429,503],"withoutResponse":false}   libs/contract/src/answers.ts:2
  answer         answered by A. Person on 2026-01-31: Minutes (o.yaml:6)
  to do          The two values must be equal. If the answer changed, change o.yaml:6, with who answered, when and why.
                 Or change libs/contract/src/answers.ts:2 to:

  retry: { delays: [100, 200], statuses: [429, 503], withoutResponse: true },

4 specified, 0 missing, 0 contradicted, 0 invented, 0 answered, 1 unmatched
`);
});

describe('in every format', () => {
  const overlay = overlayFor({ payload: 'plant' }).replace('x-question: payload', 'x-question: pay-load');
  const given = { answers: { retry: exampleAnswers.retry }, overlay };

  it('text has the lines to add', () => {
    const { code, out } = diff(given, 'text');
    expect(code).toBe(1);
    expect(out).toContain('unknown question: pay-load\n');
    expect(out).toContain('Correct `x-question` at o.yaml:6. OPEN_QUESTIONS.md lists them all.');
    expect(out).toContain('missing answer: retry, not in the overlay\n');
    expect(out).toContain('\n  - target: $\n    x-question: retry\n    x-answer:\n      delays:\n');
    expect(out).toMatch(/, 2 unmatched\n$/);
  });

  it('JSON has each answer with its places', () => {
    expect(reportOf(given).answers).toMatchObject([
      { state: 'unknown question', provenance: { file: 'o.yaml', line: 6 } },
      { state: 'missing answer', code: { file: 'libs/contract/src/answers.ts', line: 2 } },
    ]);
  });

  it('Markdown has a row for each answer, and the lines to add below', () => {
    const { out } = diff(given, 'markdown');
    expect(out).toContain(
      '| unknown question: pay-load | overlay: `"plant"` o.yaml:8<br>answer: answered by A. Person',
    );
    expect(out).toContain('| missing answer: retry, not in the overlay | code: `{"delays":');
    expect(out).toContain('\n\n```\n  - target: $\n    x-question: retry\n');
  });

  it('annotations are at the line of the overlay, or of the code', () => {
    const { out } = diff(given, 'github');
    expect(out).toContain('::error file=o.yaml,line=6,title=unknown question%3A pay-load::');
    expect(out).toContain(
      '::error file=libs/contract/src/answers.ts,line=2,title=missing answer%3A retry%2C not in the overlay::',
    );
    expect(out).toContain('%0A  - target: $%0A    x-question: retry%0A');
  });
});

it('facts without an answer fail; the gate prints the line to add', () => {
  const facts = `overlay: 1.0.0
actions:
  - target: $.webhooks['/hook']
    update: { description: D }
    x-question: payload
    x-answered-by: A. Person
    x-date: 2026-01-31
    x-reason: Minutes
`;
  const answers: Answers = { payload: 'plant' };
  const [found] = reportOf({ answers, overlay: facts }).answers;
  expect(found).toMatchObject({
    state: 'answer without value',
    advice: [{ text: 'Add the answer itself to the action at o.yaml:3:', lines: '    x-answer: plant' }],
  });
  const fixed = facts.replace('    x-question', `${found?.advice[0]?.lines ?? ''}\n    x-question`);
  expect(reportOf({ answers, overlay: fixed }).answers).toMatchObject([{ state: 'answered' }]);
});

it('a reference may fill an empty map of another answer, if an answer states what it points to', () => {
  const action = (target: string, update: unknown, question: string) => ({
    target,
    update,
    'x-question': question,
    'x-answered-by': 'A. Person',
    'x-date': '2026-01-31',
    'x-reason': 'Minutes',
  });
  const content = (plant: object) => ({
    requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { plant } } } } },
  });
  const plant = "$.webhooks['/hook'].post.requestBody.content['application/json'].schema.properties.plant";
  const gateOf = (component: object, ...fields: ReturnType<typeof action>[]) => {
    const payload = action("$.webhooks['/hook']", { post: content({}) }, 'payload');
    const overlay = { overlay: '1.0.0', actions: [payload, ...fields] };
    const document = documentOf({
      webhooks: { '/hook': { summary: 'Hook', post: content({ $ref: '#/components/schemas/Plant' }) } },
      components: { schemas: { Plant: component } },
    });
    return inFolder({ 'b.yaml': HOOK, 'd.yaml': document, 'o.yaml': JSON.stringify(overlay) }, (folder) =>
      runCli(['diff', '--baseline', 'b.yaml', '--document', 'd.yaml', '--overlay', 'o.yaml'], folder),
    );
  };

  const object = { type: 'object' };
  const componentOf = (Plant: object) => action('$', { components: { schemas: { Plant } } }, 'plant-fields');
  const reference = action(plant, { $ref: '#/components/schemas/Plant' }, 'plant-fields');
  expect(gateOf(object, action(plant, object, 'plant-fields')).code).toBe(0);
  expect(gateOf(object, componentOf(object), reference).code).toBe(0);
  expect(gateOf(object, componentOf(object)).out).toContain(
    'stale answer: components › schemas › Plant › type',
  );

  const empty = gateOf({}, componentOf({}), reference);
  expect(empty.code).toBe(1);
  expect(empty.out).toContain(
    'This `$ref` adds nothing: other actions state what it points to. Write the schema inline at o.yaml:1, and remove it from where it is now.',
  );
});

describe('openapi answers', () => {
  it('writes what the contract says, to standard output or to a file', () => {
    const { code, out, err } = runCli(['answers']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ source: 'libs/contract/src/answers.ts', questions: IDS });
    inFolder({}, (folder) => {
      expect(runCli(['answers', '--output', 'a.json'], folder)).toEqual({ code: 0, out: '', err: '' });
    });
  });

  it.each([
    { args: ['x'], want: 'openapi: unexpected argument "x"; see openapi answers --help\n' },
    {
      args: ['--output', 'no/such/a.json'],
      want: 'openapi: could not write no/such/a.json: there is no such folder\n',
    },
  ])('cannot run with $args', ({ args, want }) => {
    expect(runCli(['answers', ...args])).toMatchObject({
      code: 2,
      err: expect.stringContaining(want) as string,
    });
  });

  it('names every answer that cannot be carried out, and writes none', () => {
    const faulty: Answers = { 'size-limits': -1, 'base-address': 'nowhere' };
    expect(writeAnswers(faulty, IDS)).toEqual({
      faults: [
        'size-limits: the number of bytes must be a whole number from 1 to 400,000,000 (got -1)',
        'base-address: must be an absolute https URL without query and fragment (got nowhere)',
      ],
    });
  });
});
