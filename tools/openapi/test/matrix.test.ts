import { type ExecutableId, isExecutable, openQuestions, type QuestionId } from '@plant-store/contract';
import { kinds } from '@plant-store/contract/kinds';
import { changes, onEach, type Seen } from './scenario/observations.js';
import { renderAnswers } from '../src/pages/answers.js';
import { builtOn, changesOf, OPEN } from './scenario/expected.js';
import { observeAll, type Observed } from './scenario/observe.js';

const ids = openQuestions.map(({ id }) => id);
const executable = ids.filter(isExecutable);
const inWords = ids.filter((id) => !isExecutable(id));

/** Surfaces where an answer shows only with another one, which is built on it. */
const shownTogether = executable.flatMap((id) =>
  Object.entries(kinds[id].shows).flatMap(([surface, changed]) =>
    typeof changed === 'string'
      ? [
          {
            id,
            surface: surface as keyof Seen,
            other: changed.slice('with '.length) as ExecutableId,
          },
        ]
      : [],
  ),
);

/** The questions that are answered before and after. */
type Step = readonly [before: readonly QuestionId[], after: readonly QuestionId[]];

const stepOf = (id: ExecutableId): Step => [builtOn(id), [...builtOn(id), id]];
const withOther = (id: ExecutableId, other: ExecutableId): Step => {
  const others = [...builtOn(other).filter((question) => question !== id), other];
  return [others, [...others, id]];
};
const wordsStep: Step = [[], inWords];

const observed = new Map<string, Observed>();
const nameOf = (answered: readonly QuestionId[]): string => [...answered].sort().join(' ');
const seenWith = (answered: readonly QuestionId[]): Observed => observed.get(nameOf(answered))!;

beforeAll(async () => {
  const steps = [
    wordsStep,
    ...executable.map(stepOf),
    ...shownTogether.map(({ id, other }) => withOther(id, other)),
  ];
  const scenarios = [...new Map(steps.flat().map((answered) => [nameOf(answered), answered])).values()];
  const seen = await observeAll(scenarios);
  scenarios.forEach((answered, index) => observed.set(nameOf(answered), seen[index]!));
}, 300_000);

const BOTH_SIDES = { bothSides: true, codeAlone: false, overlayAlone: false };
const surfaces = (seen: Seen): Seen => onEach((surface) => seen[surface]);
const changed = ([before, after]: Step): Seen =>
  onEach((surface) => changes(seenWith(before)[surface], seenWith(after)[surface]));

test('the compiler asks for exactly the surfaces that the register names', () => {
  type Shows = (typeof kinds)['retry']['shows'];
  const retry: Shows = { sender: {} };
  // @ts-expect-error an answer to retry shows in the sender.
  const missing: Shows = {};
  // @ts-expect-error an answer to retry does not show in the receiver.
  const tooMany: Shows = { sender: {}, receiver: {} };

  expect([retry, missing, tooMany]).toHaveLength(3);
});

test('with everything open', () => {
  expect(surfaces(seenWith([]))).toEqual(OPEN);
});

describe.each(executable)('%s', (id) => {
  test('changes what its row says, and nothing else', () => {
    expect(changed(stepOf(id))).toEqual(changesOf(id));
  });

  test('passes the gate on both sides, and fails it on one', () => {
    expect(seenWith(stepOf(id)[1]).gate).toEqual(BOTH_SIDES);
  });

  test('shows where the register says', () => {
    const { shows } = openQuestions.find((question) => question.id === id)!;
    const listed = Object.entries(changesOf(id)).filter(([, seen]) => Object.keys(seen).length > 0);
    const together = shownTogether.filter((shown) => shown.id === id).map(({ surface }) => surface);
    const document = seenWith(stepOf(id)[1]).shown.includes(id) ? ['document'] : [];
    const seen = [...listed.map(([surface]) => surface), ...together, ...document];
    expect(seen.sort()).toEqual([...shows].sort());
  });
});

test.each(shownTogether)('$id shows in $surface once $other is answered', ({ id, surface, other }) => {
  expect(changed(withOther(id, other))[surface]).not.toEqual({});
});

test('answers in words change nothing, and pass the gate on both sides', () => {
  expect(surfaces(seenWith(inWords))).toEqual(OPEN);
  expect(seenWith(inWords)).toMatchObject({ shown: [], gate: BOTH_SIDES });
});

test('the page has a row and a section for each answer', () => {
  const lines = renderAnswers().split('\n');

  for (const id of executable) expect(lines).toContain(`## ${id}`);
  expect(lines).toContain('| [`base-address`](#base-address) | – | yes | yes | yes | any order | minor |');
  expect(lines).toContain('- Sender: Sends to https://receiver.example unless the caller passes `baseUrl`.');
});
