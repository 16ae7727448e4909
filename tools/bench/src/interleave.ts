/**
 * Measures contenders in turn, round after round, so that whatever slows the machine down slows all of them
 * down. Each round begins with another contender. One round more, at the beginning, is not counted.
 *
 * @returns The samples of each contender, in the order of the contenders.
 */
export async function interleave<Contender, Sample>(
  contenders: readonly Contender[],
  rounds: number,
  measure: (contender: Contender) => Promise<Sample>,
): Promise<Sample[][]> {
  const samples: Sample[][] = contenders.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const index = (turn + round + 1) % contenders.length;
      const sample = await measure(contenders[index]!);
      if (round >= 0) samples[index]!.push(sample);
    }
  }
  return samples;
}
