import type { Fact } from './fact.js';

/**
 * What the comment on a fact's line says: the section that states it, by convention. In
 * `title: OpenAPI Plant Store # §1` that is `§1`. JSON has no comments.
 */
export function statedIn({ place, source }: Fact): string | undefined {
  const { file } = place;
  const isWrittenHere = source.file === file && file.lineAt(source.end) === file.lineAt(place.start);
  const rest = file.restOfLine(isWrittenHere ? Math.max(source.end, place.end) : place.end);
  return /(?:^|\s)#\s*(\S.*)$/.exec(rest)?.[1];
}
