import { plainAnswers } from '@plant-store/contract';

import { differenceOf } from '../../src/effects/effects.js';
import { observeCallers } from './callers.js';
import { type Change, orderOf, runsBetween, stepOf } from './derive.js';
import { observeRollout, type Run } from './observe.js';
import { answersIn, betweenOf, executable, labelOf, statesOf, TRANSITIONS } from './states.js';

const questions = executable.map((id) => ({ id, states: statesOf(id).map(({ answer }) => answer) }));

/** Every change from one state of a question to another. */
const changes = questions.flatMap(({ id, states }) =>
  states.flatMap((before) =>
    states.filter((after) => after !== before).map((after): Change => ({ id, before, after })),
  ),
);

let runs: readonly Run[];
let compiles: (id: Change['id'], code: string, types: string) => boolean;

beforeAll(async () => {
  compiles = observeCallers();
  runs = await observeRollout();
}, 300_000);

/** What effects.ts says of a change. */
function effect({ id, before, after }: Change) {
  const [old, now] = [before, after].map((answer) => plainAnswers(answersIn({ id, answer })));
  return differenceOf(old!, now!)[0]!;
}

test.each(questions.flatMap(({ id, states }) => states.map((state) => ({ id, state }))))(
  '$id, $state: sender and receiver of the same answers work together',
  ({ id, state }) => {
    const own = runsBetween(runs, id, state, state).filter(({ chosenBy }) => chosenBy === 'sender');
    const failed = own.filter(({ result }) => result !== 'works').map(({ way }) => way);
    // Above the local limit of the receiver.
    const tooLarge = id === 'size-limits' && state === 'open' ? ['1900000 bytes'] : [];
    expect(own.length).toBeGreaterThan(0);
    expect(failed).toEqual(tooLarge);
    expect(compiles(id, state, state)).toBe(true);
  },
);

test.each(changes)('$id, $before to $after: the rollout order is what the runs show', (change) => {
  expect(effect(change).rollout.order).toBe(orderOf(runs, change));
});

test.each(changes)(
  '$id, $before to $after: the version step is what the runs and the types show',
  (change) => {
    expect(effect(change).step).toBe(stepOf(runs, change, (code, types) => compiles(change.id, code, types)));
  },
);

describe.each(TRANSITIONS)('$id, example to $after, with stillAccepted', ({ id, after, first }) => {
  const between = labelOf(betweenOf({ id, after }));

  test('needs a transition without it', () => {
    expect(orderOf(runs, { id, before: 'example', after })).toBe('needs a transition');
  });

  test(`goes out with the ${first}`, () => {
    expect(orderOf(runs, { id, before: 'example', after: between })).toBe(first);
  });

  test('is removed in any order, once everything has the new answer', () => {
    expect(orderOf(runs, { id, before: between, after })).toBe('any order');
  });
});
