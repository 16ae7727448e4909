import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnswerValues, openQuestions } from '@plant-store/contract';
import { exampleAnswers, jsonSchemaPayload, realPayload } from '@plant-store/example-answers';
import { Validator } from '@seriousme/openapi-schema-validator';
import { factsOf } from '../src/gate/facts.js';
import { type Finding, gate, isClean, tallyOf } from '../src/gate/gate.js';
import { renderReport } from '../src/gate/report.js';
import type { Ledger } from '../src/ledger.js';
import { ToolError } from '../src/tool-error.js';
import { BY, ledgerOf, ROOT, writeDocument } from './built.js';

const BASELINE = readFileSync(join(ROOT, 'libs/contract/spec/plant-store.openapi.yaml'), 'utf8');

/** The documents without answers and with the examples, and the ledger of the examples. */
let OPEN: string;
let ANSWERED: string;
let LEDGER: Ledger;

beforeAll(async () => {
  OPEN = await writeDocument({});
  ANSWERED = await writeDocument(exampleAnswers);
  LEDGER = await ledgerOf(exampleAnswers);
});

function findingsOf({ open = OPEN, answered = ANSWERED, ledger = LEDGER, baseline = BASELINE }): Finding[] {
  return gate({
    baseline: { text: baseline, file: 'b.yaml' },
    open: { text: open, file: 'open' },
    answered: { text: answered, file: 'd.json' },
    ledger,
  });
}

const failing = (findings: readonly Finding[]): string[] =>
  findings.filter((finding) => !isClean([finding])).map(({ state, pointer }) => `${state} ${pointer}`);

test('without answers, the document is the baseline', () => {
  const findings = findingsOf({ answered: OPEN, ledger: {} });
  expect(tallyOf(findings)).toBe('11 specified, 0 missing, 0 contradicted, 0 invented, 0 answered');
  expect(renderReport(findings, {})).toBe(`${tallyOf(findings)}\n`);
});

test('with answers, what comes beside is answered, each fact under its question', () => {
  const findings = findingsOf({});
  expect(failing(findings)).toEqual([]);
  const shown = new Set(findings.flatMap(({ question }) => question ?? []));
  const inDocument = openQuestions
    .filter(
      (question) => 'answered' in question && (question.shows as readonly string[]).includes('document'),
    )
    .map(({ id }) => id);
  // What these show, others show in more detail.
  const own = inDocument.filter((id) => !['http-method', 'media-type'].includes(id));
  expect([...shown].sort()).toEqual([...own].sort());
  const put = '/webhooks/~1plant~1webhook/put';
  const questionOf = (pointer: string) => findings.find((one) => one.pointer === pointer)?.question;
  expect(questionOf(`${put}/parameters/header webhook-signature/in`)).toBe('signing');
  expect(questionOf(`${put}/responses/409/description`)).toBe('status-codes');
  expect(questionOf(`${put}/requestBody/required`)).toBe('payload');
  expect(questionOf('/servers/0/variables/base_url/default')).toBe('base-address');
});

test('lists each answer with what it shows, and one in words as not carried out', () => {
  const ledger = { ...LEDGER, 'event-order': { inWords: 'None.', ...BY } };
  const report = renderReport(findingsOf({}), ledger);
  expect(report).toContain(
    'answered: base-address, by Nobody on 2026-01-31: An example.\n  servers › 0 › variables › base_url › default: "https://receiver.example"\n',
  );
  expect(report).toContain('not carried out: event-order, by Nobody on 2026-01-31: An example.\n');
});

describe.each<[string, AnswerValues]>([
  ...Object.entries(exampleAnswers).map(([id, answer]): [string, AnswerValues] => [
    id,
    // Without a method, little shows.
    { 'http-method': 'PUT', ...closedBy(id), [id]: answer },
  ]),
  ['real payload', realPayload],
  ['payload in JSON Schema', jsonSchemaPayload],
])('%s', (_name, answers) => {
  test('passes the gate, and its document is valid', async () => {
    const document = await writeDocument(answers);
    expect(failing(findingsOf({ answered: document, ledger: await ledgerOf(answers) }))).toEqual([]);
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });
});

/** What an example contradicts others without. */
function closedBy(id: string): AnswerValues {
  return id === 'signing' ? { 'event-identity': exampleAnswers['event-identity'] } : {};
}

/** A change of one fact in a document. */
interface Mutation {
  readonly name: string;
  readonly text: string;
}

/** Every document in which one thing at a pointer is removed, changed or doubled, or one stands beside it. */
function mutationsAt(document: string, pointer: string): Mutation[] {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.at(-1)!;
  const mutate = (name: string, change: (parent: Record<string, unknown>) => void): Mutation => {
    const root = JSON.parse(document) as Record<string, unknown>;
    change(keys.slice(0, -1).reduce((node, key) => node[key] as Record<string, unknown>, root));
    // A key that stands twice.
    return { name: `${name} ${pointer}`, text: JSON.stringify(root).replace(`"${last}\u0000`, `"${last}`) };
  };
  return [
    mutate('removed', (parent) => {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else Reflect.deleteProperty(parent, last);
    }),
    mutate('changed', (parent) => (parent[last] = 'fresh')),
    mutate('emptied', (parent) => (parent[last] = null)),
    mutate('doubled', (parent) => {
      if (Array.isArray(parent)) parent.push(parent[Number(last)]);
      else parent[`${last}\\u0000`] = parent[last];
    }),
    mutate('added beside', (parent) => {
      if (Array.isArray(parent)) parent.push('fresh');
      else parent['fresh'] = 1;
    }),
  ];
}

/** The pointers to the facts of the baseline, and to everything that has one in it. */
const stated = [...factsOf({ text: BASELINE, file: 'b.yaml' }).keys()];
const places = [...new Set(stated.flatMap(placesTo))];

function placesTo(pointer: string): string[] {
  const above = pointer.slice(0, pointer.lastIndexOf('/'));
  return above === '' ? [pointer] : [...placesTo(above), pointer];
}

const fails = (documents: Parameters<typeof findingsOf>[0]): boolean => {
  try {
    return !isClean(findingsOf(documents));
  } catch (error) {
    return error instanceof ToolError && error.code === 'syntax';
  }
};

/** The changes of single facts that the gate lets pass. */
const passing = (
  document: string,
  documents: (text: string) => Parameters<typeof findingsOf>[0],
): string[] => {
  const mutations = places.flatMap((pointer) => mutationsAt(document, pointer));
  expect(mutations.length).toBe(5 * places.length);
  return mutations.filter(({ text }) => !fails(documents(text))).map(({ name }) => name);
};

test('every change of a single fact fails, without answers', () => {
  expect(passing(OPEN, (open) => ({ open, answered: OPEN, ledger: {} }))).toEqual([]);
});

test('every change of a single fact of the baseline fails, with answers', () => {
  expect(passing(ANSWERED, (answered) => ({ answered }))).toEqual([]);
});

test('a fact that an answer shows and the document lacks is missing, and what stands beside it is invented', () => {
  const answered = [...factsOf({ text: ANSWERED, file: 'd.json' }).keys()].filter(
    // A parameter is named here, and has an index in the document.
    (pointer) => !stated.includes(pointer) && !pointer.includes('/parameters/'),
  );
  const mutations = answered
    .flatMap((pointer) => mutationsAt(ANSWERED, pointer))
    .filter(({ name }) => /^(?:removed|added beside|doubled) /.test(name));
  expect(mutations.length).toBe(3 * answered.length);
  expect(mutations.filter(({ text }) => !fails({ answered: text })).map(({ name }) => name)).toEqual([]);
  const parameter = ANSWERED.replace('"required": true,', '"required": true, "deprecated": false,');
  expect(fails({ answered: parameter })).toBe(true);
});

test('what an answer shows and the document lacks is told under its question', () => {
  const answered = ANSWERED.replace('"bearerFormat": "example"', '"type": "http"').replace(
    '"type": "http",',
    '',
  );
  expect(renderReport(findingsOf({ answered }), LEDGER)).toContain(
    `missing: components › securitySchemes › bearerAuth › bearerFormat   /components/securitySchemes/bearerAuth/bearerFormat
  to do          The answer to token-format shows it. Look in apps/webhook/src/answers for what keeps it from the document, then run: npx nx run webhook:openapi
`,
  );
});

test.each<[string, AnswerValues]>([
  [
    'data in the form of parameters',
    { 'receiver-response': respondingWith('{"parameters":[{"in":"query","name":"a"}]}') },
  ],
  ['no status', { 'status-codes': {} }],
])('an answer with %s passes the gate', async (_name, answer) => {
  const answers: AnswerValues = { 'http-method': 'POST', ...answer };
  const document = await writeDocument(answers);
  expect(failing(findingsOf({ answered: document, ledger: await ledgerOf(answers) }))).toEqual([]);
});

function respondingWith(text: string): NonNullable<AnswerValues['receiver-response']> {
  return { status: 200, description: 'Taken.', content: { mediaType: 'application/json', text } };
}

test('line ends of Windows change nothing', () => {
  const factsIn = (text: string) => [...factsOf({ text, file: 'x' }).values()];
  expect(factsIn(BASELINE.replaceAll('\n', '\r\n'))).toEqual(factsIn(BASELINE));
});

test('a fact that an answer shows is invented once the answer is gone', () => {
  const answered = [...factsOf({ text: ANSWERED, file: 'd.json' }).keys()].filter(
    (pointer) => !stated.includes(pointer),
  );
  const invented = failing(findingsOf({ ledger: {} }));
  expect(invented).toEqual(answered.map((pointer) => `invented ${pointer}`));
});

test('what both documents invent is told once, with what to do', () => {
  const invent = (text: string): string => JSON.stringify({ ...(JSON.parse(text) as object), tags: [] });
  expect(renderReport(findingsOf({ open: invent(OPEN), answered: invent(ANSWERED) }), LEDGER))
    .toBe(`invented: tags   /tags
  document       []   open:1
  to do          Nothing states it. Remove it from apps/webhook/src/openapi/create-document.ts, then run: npx nx run webhook:openapi
                 If it was answered, enter the answer in libs/contract/src/answers.ts. OPEN_QUESTIONS.md has the line to paste.

11 specified, 0 missing, 0 contradicted, 1 invented, ${findingsOf({}).filter(({ state }) => state === 'answered').length} answered
`);
});

test('a contradicted fact is told with both places, and what is missing with its section', () => {
  const changed = OPEN.replace('"New Plant"', '"Old Plant"').replace('"scheme": "bearer"', '"x": 1');
  const report = renderReport(findingsOf({ open: changed, answered: OPEN, ledger: {} }), {});
  expect(report).toContain('contradicted: webhooks › /plant/webhook › summary');
  expect(report).toMatch(/specification {2}"New Plant" {3}b\.yaml:\d+ \(§4\)\n {2}document {7}"Old Plant"/);
  expect(report).toMatch(/missing: components › securitySchemes › bearerAuth › scheme/);
  expect(report).toContain('libs/contract/src/facts.ts or apps/webhook/src/openapi/new-plant.decorators.ts');
});

test.each([
  ['a: &a 1\nb: *a', 'x:2: an alias is not allowed'],
  ['a: .nan', 'x:1: NaN is not a JSON value'],
  ['a: 1\na: 2', 'x:2: Map keys must be unique'],
  ['200: 1\n"200": 2', 'x:2: 200 stands twice'],
  ['200: { a: 1 }\n"200": { b: 2 }', 'x:2: 200 stands twice'],
  ['? [a]\n: 1', 'x:1: a key is not plain text'],
  ['a: [', 'x:1: '],
])('%j is refused', (text, problem) => {
  expect(() => factsOf({ text, file: 'x' })).toThrow(problem);
});
