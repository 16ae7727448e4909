/** The name that was probably meant: it differs in at most two letters, or in upper and lower case only. */
export function nearestOf(name: string, names: readonly string[]): string | undefined {
  const [nearest] = names
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ distance }) => distance <= 2 && distance < name.length / 2)
    .toSorted((one, another) => one.distance - another.distance);
  return nearest?.other;
}

/** How many letters must be added, removed or replaced to turn one word into the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = row[column - 1]! + (one[index] === other[column - 1] ? 0 : 1);
      next.push(Math.min(row[column]! + 1, next[column - 1]! + 1, replaced));
    }
    row = next;
  }
  return row[other.length]!;
}
