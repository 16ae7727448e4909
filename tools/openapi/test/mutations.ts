import fc from 'fast-check';

/** One change of a document: at which place, and which. */
interface Mutation {
  readonly place: number;
  readonly kind: (typeof KINDS)[number];
}

const KINDS = ['delete', 'change', 'add'] as const;

/** Which place is taken modulo the number of places that the document has. */
export const mutations: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom(...KINDS),
});

/** Every mutation of a document. */
export function everyMutation(document: object): Mutation[] {
  return KINDS.flatMap((kind) => placesFor(kind, document).map((_, place) => ({ place, kind })));
}

/** A text that is in no document. */
const FRESH = 'fresh 8f1c';

/** A copy of the document with one key or item deleted, one value changed, or one key or item added. */
export function mutate(document: object, { place, kind }: Mutation): object {
  const copy = JSON.parse(JSON.stringify(document)) as object;
  const places = placesFor(kind, copy);
  const chosen = places[place % places.length];
  if (chosen === undefined) return { ...copy, [FRESH]: FRESH };
  const { parent, key, value } = chosen;
  if (kind === 'add') add(value as object);
  else if (kind === 'change') set(parent, key, FRESH);
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
  return copy;
}

interface Slot {
  readonly parent: object;
  readonly key: string;
  readonly value: unknown;
}

function placesFor(kind: Mutation['kind'], document: object): Slot[] {
  return placesIn(document).filter(({ value }) => kind !== 'add' || isContainer(value));
}

function placesIn(container: object): Slot[] {
  return Object.entries(container).flatMap(([key, value]) => [
    { parent: container, key, value },
    ...(isContainer(value) ? placesIn(value) : []),
  ]);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function add(container: object): void {
  if (Array.isArray(container)) container.push(FRESH);
  else set(container, FRESH, FRESH);
}

function set(container: object, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}
