/** The figures of one measurement, or their medians, by name. */
export type Figures<Name extends string> = Readonly<Record<Name, number>>;

/** The figures of the first contender and of the second. */
type Peers<Name extends string> = readonly [first: Figures<Name>, second: Figures<Name>];

interface Comparison<Contender, Name extends string> {
  readonly title: string;
  readonly contenders: readonly Contender[];
  /** How often each contender is measured, after a first time that isn't counted. @default 5 */
  readonly rounds?: number;
  readonly measure: (contender: Contender) => Promise<Figures<Name>>;
  /** The text of each cell by heading, from the medians of its contender and those of the first two. */
  readonly columns: Readonly<Record<string, (own: Figures<Name>, peers: Peers<Name>) => string>>;
}

/**
 * Measures contenders in turn, round after round, so that whatever slows the machine down slows all of them down.
 * Each round begins with another contender. Prints a table of medians with a row for each contender.
 */
export async function compare<Contender extends { readonly name: string }, Name extends string>({
  title,
  contenders,
  rounds = 5,
  measure,
  columns,
}: Comparison<Contender, Name>): Promise<void> {
  const samples: Figures<Name>[][] = contenders.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const index = (turn + round + 1) % contenders.length;
      const sample = await measure(contenders[index]!);
      if (round >= 0) samples[index]!.push(sample);
    }
  }
  const figures = samples.map(mediansOf);
  const peers: Peers<Name> = [figures[0]!, figures[1]!];
  const rows = contenders.map(({ name }, index) => [
    name,
    ...Object.values(columns).map((cell) => cell(figures[index]!, peers)),
  ]);
  console.log(`\n${title}, medians of ${rounds} rounds:`);
  printTable([['', ...Object.keys(columns)], ...rows]);
}

/** A whole number, with commas. */
export function count(figure: number): string {
  return Math.round(figure).toLocaleString('en');
}

/** A ratio with two decimals. */
export function ratio(figure: number, to: number): string {
  return (figure / to).toFixed(2);
}

function mediansOf<Name extends string>(samples: readonly Figures<Name>[]): Figures<Name> {
  const names = Object.keys(samples[0]!) as Name[];
  const medians = names.map((name) => [name, median(samples.map((sample) => sample[name]))]);
  return Object.fromEntries(medians) as Figures<Name>;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The first column to the left, the others to the right. */
function printTable(lines: readonly (readonly string[])[]): void {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    );
    console.log(cells.join('  '));
  }
}
