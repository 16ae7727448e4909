/** The word that takes the fewest changes of a letter (Levenshtein) to become this one; the first of several. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const ranked = words.map((candidate) => ({ candidate, distance: distance(word, candidate) }));
  return ranked.sort((one, other) => one.distance - other.distance)[0]?.candidate;
}

function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 0; row < one.length; row++) {
    const line = [row + 1];
    for (let column = 0; column < other.length; column++) {
      const changed = (above[column] ?? 0) + (one[row] === other[column] ? 0 : 1);
      line.push(Math.min(changed, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
