import fc from '../../test/fast-check.js';
import { Progress } from './progress.js';

/** Progress after everything up to `handledThrough`, with these claimed and those of them ended. */
function makeProgress(handledThrough: number, claimed: number, ended: readonly number[]): Progress {
  const progress = new Progress(handledThrough);
  for (let id = handledThrough + 1; id <= handledThrough + claimed; id += 1) progress.claim(id);
  for (const id of ended) progress.end(id);
  return progress;
}

test.each([
  { name: 'nothing claimed', claimed: 0, ended: [], ending: [], want: 10 },
  { name: 'one under way', claimed: 1, ended: [], ending: [], want: 10 },
  { name: 'one ending', claimed: 1, ended: [], ending: [11], want: 11 },
  { name: 'one ended', claimed: 1, ended: [11], ending: [], want: 11 },
  { name: 'the second ended, the first not', claimed: 2, ended: [12], ending: [], want: 10 },
  { name: 'the second ended, the first ending', claimed: 2, ended: [12], ending: [11], want: 12 },
  { name: 'a gap further on', claimed: 5, ended: [11, 13], ending: [12, 15], want: 13 },
  { name: 'all ended', claimed: 5, ended: [15, 14, 13, 12, 11], ending: [], want: 15 },
  { name: 'one ending that is not under way', claimed: 2, ended: [], ending: [5], want: 10 },
])('ended through $want: $name', ({ claimed, ended, ending, want }) => {
  expect(makeProgress(10, claimed, ended).handledThrough(new Set(ending))).toBe(want);
});

test.each([
  { distance: 0, want: [11, 12, 14] },
  { distance: 1, want: [11, 12] },
  { distance: 3, want: [11] },
  { distance: 4, want: [] },
  { distance: -1, want: [11, 12, 14, 15] },
])('stragglers beyond $distance: $want', ({ distance, want }) => {
  expect(makeProgress(10, 5, [13]).stragglers(distance)).toEqual(want);
});

test('knows what is claimed and has not ended', () => {
  const progress = makeProgress(10, 2, [11]);

  expect([10, 11, 12, 13].map((id) => progress.has(id))).toEqual([false, false, true, false]);
  expect(progress.claimedThrough).toBe(12);
});

test('agrees with a list of everything, in whichever order deliveries end', () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.nat(40),
      fc.array(fc.nat(50)),
      fc.array(fc.nat(50)),
      fc.integer({ min: -1, max: 50 }),
      (handledThrough, claimed, endedPicks, endingPicks, distance) => {
        const last = handledThrough + claimed;
        const ended = new Set(endedPicks.map((pick) => handledThrough + pick));
        const ending = new Set(endingPicks.map((pick) => handledThrough + pick));
        const progress = makeProgress(handledThrough, claimed, [...ended]);
        const open = Array.from({ length: claimed }, (_, index) => handledThrough + 1 + index).filter(
          (id) => !ended.has(id),
        );

        const firstLeft = open.find((id) => !ending.has(id));
        expect(progress.handledThrough(ending)).toBe(firstLeft === undefined ? last : firstLeft - 1);
        expect(progress.stragglers(distance)).toEqual(open.filter((id) => last - id > distance));
      },
    ),
  );
});
