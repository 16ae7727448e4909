import { observeCallers } from './callers.js';
import { rolloutOf, runsBetween, stepOf } from './derive.js';
import { observeRollout, type Run } from './observe.js';
import { executable, registered, statesOf } from './states.js';

let runs: readonly Run[];
let compiles: ReturnType<typeof observeCallers>;

beforeAll(async () => {
  compiles = observeCallers();
  runs = await observeRollout();
}, 300_000);

test.each(executable.flatMap(statesOf))(
  '$id, $answer: sender and receiver of the same answers work together',
  ({ id, answer }) => {
    const own = runsBetween(runs, id, answer, answer).filter(({ chosenBy }) => chosenBy === 'sender');
    const failed = own.filter(({ result }) => result !== 'works').map(({ way }) => way);
    // Above the local limit of the receiver.
    const tooLarge = id === 'size-limits' && answer === 'open' ? ['1900000 bytes'] : [];
    expect(own.length).toBeGreaterThan(0);
    expect(failed).toEqual(tooLarge);
    expect(compiles(id, answer, answer)).toBe(true);
  },
);

test.each(executable)('%s: rollout and version step are what the register says', (id) => {
  const { rollout, step } = registered(id);
  expect({
    rollout: rolloutOf(runs, id),
    step: stepOf(runs, id, (code, types) => compiles(id, code, types)),
  }).toEqual({ rollout, step });
});
