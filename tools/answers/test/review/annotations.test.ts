import { type Annotated, annotations } from '../../src/review/annotations.js';
import type { DescribedChange } from '../../src/review/describe-change.js';
import type { ChangesReport, GateReport } from '../../src/review/openapi.js';

const DOCUMENT = 'apps/webhook/openapi.json';
const CODE = { file: 'libs/contract/src/answers.ts', line: 3 };
const OVERLAY = { file: 'libs/contract/spec/answers.overlay.yaml', line: 8 };
const DECORATOR = { file: 'new-plant.controller.ts', line: 20 };

const answer: DescribedChange = {
  question: 'http-method',
  kind: 'new',
  before: undefined,
  after: { answer: 'PUT', answeredBy: 'Ada', date: '2026-01-31', reason: 'Minutes' },
  title: 'HTTP method',
  value: 'PUT',
  stated: 'Answered by Ada on 2026-01-31: Minutes',
  effect: {
    receiver: 'Takes PUT only.',
    sender: undefined,
    rollout: { order: 'senders first', reason: 'Old senders may POST.' },
    step: 'major',
  },
  accepted: undefined,
};
const answered: GateReport['answers'][number] = {
  state: 'answered',
  question: 'http-method',
  code: CODE,
  overlay: OVERLAY,
  facts: ['/webhooks/~1plant~1webhook/put'],
  advice: [],
};
const change = (given: Partial<ChangesReport['changes'][number]> = {}): ChangesReport['changes'][number] => ({
  id: 'operation-added',
  what: 'operation added',
  name: 'webhooks › /plant/webhook › put',
  pointer: '/webhooks/~1plant~1webhook/put',
  verdict: 'breaking',
  verdicts: { receiver: 'breaking', sender: 'not breaking' },
  after: { file: DOCUMENT, line: 22, value: '{}' },
  producer: DECORATOR,
  ...given,
});

/** What is annotated if these lines changed. */
function annotated(
  lines: readonly { file: string; line: number }[],
  given: Partial<Annotated> = {},
): string[] {
  const isChanged = (file: string, line: number) =>
    lines.some((changed) => changed.file === file && changed.line === line);
  const all = { answers: [], gate: { findings: [], answers: [answered] }, document: { changes: [] } };
  return annotations({ ...all, isChanged, ...given })
    .split('\n')
    .slice(0, -1);
}

const placeOf = (annotation = '') => /file=([^,]*),line=(\d+)/.exec(annotation)?.slice(1).join(':');

test('an answer is told where the code has it', () => {
  expect(annotated([CODE, OVERLAY], { answers: [answer] })).toEqual([
    '::notice file=libs/contract/src/answers.ts,line=3,title=HTTP method%3A new::Answer: PUT%0AAnswered by Ada on 2026-01-31: Minutes%0AReceiver: Takes PUT only.%0ARoll out: senders first. Old senders may POST.%0AVersion step: major',
  ]);
  expect(annotated([OVERLAY], { answers: [answer] }).map(placeOf)).toEqual([`${OVERLAY.file}:8`]);
});

test.each([
  ['at its line of the document', [{ file: DOCUMENT, line: 22 }, DECORATOR, CODE], `${DOCUMENT}:22`],
  ['at the decorator that wrote it', [DECORATOR, CODE], 'new-plant.controller.ts:20'],
  ['at the answer in the code that caused it', [CODE, OVERLAY], `${CODE.file}:3`],
  ['at the answer in the overlay that caused it', [OVERLAY], `${OVERLAY.file}:8`],
  ['nowhere, if none of them changed', [{ file: DOCUMENT, line: 21 }], undefined],
])('a change is told %s', (_name, lines, want) => {
  expect(placeOf(annotated(lines, { document: { changes: [change()] } })[0])).toBe(want);
});

test.each([
  ['a part of what an answer added', '/webhooks/~1plant~1webhook/put/parameters/0', true],
  ['what an answer added a part of', '/webhooks/~1plant~1webhook', true],
  ['another part', '/webhooks/~1plant~1webhook/putting', false],
])('an answer causes changes of %s', (_name, pointer, isCaused) => {
  const found = annotated([CODE], { document: { changes: [change({ pointer })] } });
  expect(found).toHaveLength(isCaused ? 1 : 0);
});

test('breaking is an error, unclear is a warning, harmless is on the page alone', () => {
  const verdicts = ['breaking', 'unproven', 'unclassified', 'additive', 'not breaking'];
  const changes = verdicts.map((verdict) => change({ verdict }));
  const levels = annotated([DECORATOR], { document: { changes } }).map((line) => line.split(' ')[0]);
  expect(levels).toEqual(['::error', '::warning', '::warning']);
});

test('a finding is told at what has to change, with what to do', () => {
  const gate: GateReport = {
    findings: [
      {
        state: 'invented',
        name: 'webhooks › put',
        document: { file: DOCUMENT, line: 22 },
        producer: DECORATOR,
        advice: ['Nothing states it.', 'Remove it.'],
      },
      { state: 'answered', name: 'a fact', answer: OVERLAY, advice: [] },
    ],
    answers: [
      { ...answered, state: 'missing answer', advice: [{ text: 'Add this action.' }] },
      { ...answered, state: 'depends', question: 'payload' },
    ],
  };
  expect(annotated([DECORATOR, CODE, OVERLAY], { gate })).toEqual([
    `::error file=${CODE.file},line=3,title=missing answer%3A http-method::Add this action.`,
    '::error file=new-plant.controller.ts,line=20,title=invented%3A webhooks › put::Nothing states it.%0ARemove it.',
  ]);
});

test('ten of each level, findings before changes', () => {
  const gate: GateReport = {
    findings: Array.from({ length: 8 }, () => ({
      state: 'missing',
      name: 'a fact',
      producer: DECORATOR,
      advice: [],
    })),
    answers: Array.from({ length: 12 }, () => answered),
  };
  const changes = Array.from({ length: 30 }, (_, index) =>
    change({ verdict: index % 2 ? 'breaking' : 'unclassified', after: undefined as never }),
  );
  const answers = Array.from({ length: 12 }, () => answer);
  const found = annotated([DECORATOR, CODE], { gate, document: { changes }, answers });
  const titles = found.map((line) => /^::(\w+) .*title=(\w+)/.exec(line)!.slice(1).join(' '));
  expect(titles).toEqual([
    ...Array<string>(8).fill('error missing'),
    ...Array<string>(2).fill('error breaking'),
    ...Array<string>(10).fill('warning unclassified'),
    ...Array<string>(10).fill('notice HTTP'),
  ]);
});

test('long values are shortened, and marks of the commands escaped', () => {
  const changes = [change({ name: 'a,b: 100 %', before: { value: 'x'.repeat(9_000) } })];
  const [line = ''] = annotated([DECORATOR], { document: { changes } });
  expect(line).toContain('title=breaking%3A operation added%3A a%2Cb%3A 100 %25::');
  expect(line).toContain('x… (9008 characters)%0A');
  expect(line.length).toBeLessThan(2_000);
});
