/** One line of an exposition. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with its samples. */
export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const HELP = new RegExp(`^# HELP (${NAME}) (\\S.*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]?Inf|NaN)$/i;

/**
 * Parses Prometheus's text format 0.0.4, and refuses what Prometheus, or `promtool check metrics`, would refuse: a metric
 * that comes twice, samples without a type, buckets that don't add up, a counter whose name doesn't end with `_total`.
 */
export function parseMetrics(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  const families = new Map<string, Family & { samples: Sample[] }>();
  const lines = text.split('\n').filter((line) => line !== '');
  while (lines.length > 0) {
    const [, name, help] = required(HELP, lines.shift());
    const [, typed, type] = required(TYPE, lines.shift());
    if (name !== typed) throw new Error(`The help of ${name!} is followed by the type of ${typed!}.`);
    if (families.has(name!)) throw new Error(`${name!} comes twice.`);
    const samples: Sample[] = [];
    while (lines.length > 0 && !lines[0]!.startsWith('#')) samples.push(parseSample(lines.shift()!));
    families.set(name!, { help: help!, type: type!, samples });
    check(name!, type!, samples);
  }
  return families;
}

function required(pattern: RegExp, line: string | undefined): RegExpExecArray {
  const found = pattern.exec(line ?? '');
  if (found === null) throw new Error(`"${line ?? ''}" isn't what ${pattern.source} wants.`);
  return found;
}

function parseSample(line: string): Sample {
  const [, name, labels = '', value] = required(SAMPLE, line);
  // Prometheus takes numbers as Go does.
  if (!NUMBER.test(value!)) throw new Error(`"${line}" has no number.`);
  const pairs = [...labels.matchAll(/(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, key, text]) => [key!, text!] as const,
  );
  const names = pairs.map(([key]) => key);
  if (new Set(names).size < names.length) throw new Error(`"${line}" has a label twice.`);
  return {
    name: name!,
    labels: Object.fromEntries(pairs),
    value: Number(value!.replace(/Inf$/i, 'Infinity')),
  };
}

function check(name: string, type: string, samples: readonly Sample[]): void {
  const keys = samples.map((sample) => JSON.stringify([sample.name, sample.labels]));
  if (new Set(keys).size < keys.length) throw new Error(`${name} has a sample twice.`);
  const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  for (const sample of samples) {
    if (!suffixes.some((suffix) => sample.name === name + suffix))
      throw new Error(`${sample.name} doesn't belong to ${name}.`);
  }
  if (type === 'counter' && !name.endsWith('_total'))
    throw new Error(`The counter ${name} doesn't end with _total.`);
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0)))
    throw new Error(`${name} is negative.`);
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = JSON.stringify(Object.entries(sample.labels).filter(([name]) => name !== 'le'));
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels['le']!.replace('Inf', 'Infinity')));
    const counts = buckets.map(({ value }) => value);
    const isSorted = (values: readonly number[]): boolean =>
      values.every((value, index) => index === 0 || value >= values[index - 1]!);
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    if (!isSorted(bounds) || bounds.at(-1) !== Infinity)
      throw new Error(`The bounds of ${name} aren't sorted.`);
    if (!isSorted(counts) || counts.at(-1) !== count) throw new Error(`The buckets of ${name} don't add up.`);
    if (!group.some((sample) => sample.name === `${name}_sum`)) throw new Error(`${name} has no sum.`);
  }
}
