/** A statement, or a part of one, with `$1`, `$2` and so on for its values. */
export class Sql {
  constructor(
    readonly text: string,
    readonly values: readonly unknown[],
  ) {}
}

/** Text as a part of a statement. It has no value that was sent or stored: those are bound. */
export const raw = (text: string): Sql => new Sql(text, []);

/** Makes a statement. Parts of statements become part of its text, everything else a value. */
export function sql(texts: readonly string[], ...parts: readonly unknown[]): Sql {
  const values: unknown[] = [];
  const embed = (part: unknown): string => {
    if (!(part instanceof Sql)) return `$${values.push(part)}`;
    const before = values.length;
    values.push(...part.values);
    return part.text.replaceAll(/\$(\d+)/g, (_, place: string) => `$${before + Number(place)}`);
  };
  return new Sql(
    texts.reduce((text, next, index) => text + embed(parts[index - 1]) + next),
    values,
  );
}

/** Values, or parts of statements, with commas between them. There is at least one. */
export const list = (parts: readonly unknown[]): Sql =>
  sql(['', ...parts.slice(1).map(() => ', '), ''], ...parts);
