import { openQuestions, type QuestionId, type Surface } from '@plant-store/contract';

import { changes, onEach, type Row, type Seen } from '../src/matrix.js';
import { builtOn, changesOf, OPEN, ROWS } from '../src/rows.js';
import { type ObservedStep, observeSteps } from './scenario/observe-steps.js';
import type { Step } from './scenario/scenario.js';

/** What the gate says of every answer. */
const GATE = {
  'on both sides': 'clean',
  'in the code alone': 'fails, and names the line',
  'in the overlay alone': 'fails, and names the line',
  'with another value': 'fails, and names the line',
};

type ExecutableId = keyof typeof ROWS;

const isExecutable = (id: QuestionId): id is ExecutableId => Object.hasOwn(ROWS, id);
const ids = openQuestions.map(({ id }) => id);
const executable = ids.filter(isExecutable);
const inWords = ids.filter((id) => !isExecutable(id));

/** Surfaces where an answer shows only with another one, which is built on it. */
const shownTogether = executable.flatMap((id) =>
  Object.entries(ROWS[id]).flatMap(([surface, changes]) =>
    typeof changes === 'string'
      ? [{ id, surface: surface as Surface, other: changes.slice('with '.length) as ExecutableId }]
      : [],
  ),
);

const stepOf = (id: ExecutableId): Step => ({ builtOn: builtOn(id), answered: [id] });
const withOther = (id: ExecutableId, other: ExecutableId): Step => ({
  builtOn: [...builtOn(other).filter((question) => question !== id), other],
  answered: [id],
});

const observed = new Map<string, ObservedStep>();
const seenIn = (step: Step): ObservedStep => observed.get(JSON.stringify(step))!;
const wordsStep: Step = { builtOn: [], answered: inWords };

beforeAll(async () => {
  const steps = [
    wordsStep,
    ...executable.map(stepOf),
    ...shownTogether.map(({ id, other }) => withOther(id, other)),
  ];
  const seen = await observeSteps(steps);
  steps.forEach((step, index) => observed.set(JSON.stringify(step), seen[index]!));
}, 300_000);

const surfaces = (seen: Seen): Seen => onEach((surface) => seen[surface]);
const changed = ({ before, after }: ObservedStep): Seen =>
  onEach((surface) => changes(before[surface], after[surface]));

test('the compiler asks for exactly the surfaces that the register names', () => {
  const retry: Row<'retry'> = { sender: {} };
  // @ts-expect-error an answer to retry shows in the sender.
  const missing: Row<'retry'> = {};
  // @ts-expect-error an answer to retry does not show in the receiver.
  const tooMany: Row<'retry'> = { sender: {}, receiver: {} };

  expect([retry, missing, tooMany]).toHaveLength(3);
});

test('with everything open', () => {
  expect(surfaces(seenIn(wordsStep).before)).toEqual(OPEN);
});

describe.each(executable)('%s', (id) => {
  test('changes what its row says, and nothing else', () => {
    expect(changed(seenIn(stepOf(id)))).toEqual(changesOf(id));
  });

  test('is answered in OPEN_QUESTIONS.md, and nothing else is', () => {
    const { before, after } = seenIn(stepOf(id));
    expect(changes(before.openQuestions, after.openQuestions)).toEqual({
      [id]: expect.stringMatching(/^answered/),
    });
  });

  test('passes the gate on both sides, and fails it on one', () => {
    expect(seenIn(stepOf(id)).gate).toEqual({ [id]: GATE });
  });

  test('shows where the register says', () => {
    const { shows } = openQuestions.find((question) => question.id === id)!;
    const listed = Object.entries(changesOf(id)).filter(([, seen]) => Object.keys(seen).length > 0);
    const together = shownTogether.filter((shown) => shown.id === id).map(({ surface }) => surface);
    expect([...listed.map(([surface]) => surface), ...together].sort()).toEqual([...shows].sort());
  });
});

test.each(shownTogether)('$id shows in $surface once $other is answered', ({ id, surface, other }) => {
  expect(changed(seenIn(withOther(id, other)))[surface]).not.toEqual({});
});

describe('an answer in words', () => {
  test('changes the documents alone', () => {
    const { before, after } = seenIn(wordsStep);
    expect(surfaces(after)).toEqual(OPEN);
    expect(Object.keys(changes(before.openQuestions, after.openQuestions)).sort()).toEqual(
      [...inWords].sort(),
    );
  });

  test.each(inWords)('to %s passes the gate on both sides, and fails it on one', (id) => {
    expect(seenIn(wordsStep).gate[id]).toEqual(GATE);
  });
});
