/** A statement, or a part of one, with `$1`, `$2` and so on for its values. */
export class Sql {
  constructor(
    readonly text: string,
    readonly values: readonly unknown[],
  ) {}
}

/** Text as a part of a statement: never of a stranger. */
export const raw = (text: string): Sql => new Sql(text, []);

/** Makes a statement. Parts of statements become part of its text, everything else a value. */
export function sql(texts: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
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
