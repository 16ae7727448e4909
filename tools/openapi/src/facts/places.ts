/** A part of a document, or a pair of parts, that may come at several places. It is looked into at the first. */
export interface Part {
  readonly pointer: string;
  readonly visits: Visit[];
  /** How many places that are, and the first of them, once they are known. */
  count?: number;
  places?: readonly string[];
}

/** A place, and the part that it is in. */
export interface Visit {
  readonly pointer: string;
  readonly within: Part | undefined;
}

/** How many places are listed. All of them are counted. */
const MAX_PLACES = 1000;

/** The first 1000 places of what was visited, the visited one first; of its part, the places must have been counted. */
export function placesOf({ pointer, within }: Visit): readonly string[] {
  if (within === undefined || within.count === 1) return [pointer];
  const rest = pointer.slice(within.pointer.length);
  return placesOfPart(within).map((place) => place + rest);
}

/** With an explicit stack: parts may be in each other deeper than calls can be. */
function placesOfPart(part: Part): readonly string[] {
  const waiting = [part];
  for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
    const around = next.visits.flatMap(({ within }) =>
      within === undefined || within.count === 1 || within.places !== undefined ? [] : [within],
    );
    if (around.length > 0 && next.places === undefined) for (const one of around) waiting.push(one);
    else {
      next.places ??= firstPlaces(next.visits);
      waiting.pop();
    }
  }
  return part.places ?? [];
}

function firstPlaces(visits: readonly Visit[]): readonly string[] {
  const places: string[] = [];
  for (const visit of visits) {
    if (places.length >= MAX_PLACES) break;
    for (const place of placesOf(visit)) places.push(place);
  }
  return places.slice(0, MAX_PLACES);
}

/** How many places a part has. Count parts in the order in which they were found, or the recursion may be deep. */
export function countPlaces(part: Part | undefined): number {
  if (part === undefined) return 1;
  part.count ??= part.visits.reduce((sum, { within }) => capped(sum + countPlaces(within)), 0);
  return part.count;
}

/** Schemas that share parts can have more facts than there are numbers for. */
export function capped(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}

/** A count in words: `at least 9007199254740991` if there may be more. */
export function countText(count: number): string {
  return count < Number.MAX_SAFE_INTEGER ? String(count) : `at least ${count}`;
}

/** What a list says at its end, if it leaves places out: `and 12 more places`. */
export function morePlaces(listed: number, count: number): string[] {
  if (count <= listed) return [];
  const more = count - listed;
  const isExact = count < Number.MAX_SAFE_INTEGER;
  return [`and ${isExact ? '' : 'at least '}${more} more ${more === 1 ? 'place' : 'places'}`];
}
