/**
 * The shape of a value: a check that returns what is wrong with a value from JavaScript, and nothing if it has this
 * type. A fault names its place in the answer, such as `signature.encoding`.
 */
export type Shape<Type> = ((value: unknown, place: string) => readonly string[]) & {
  /** Never set. With it, the compiler refuses the shape of another type. */
  readonly type?: (value: Type) => Type;
};

/** A member that may be left out. */
interface Optional<Type> {
  readonly optional: Shape<Type>;
}

/** A shape for each member of an object. The compiler asks for all of them, and for `optional` where it belongs. */
type Members<Type> = {
  readonly [Key in keyof Type]-?: undefined extends Type[Key]
    ? Optional<Exclude<Type[Key], undefined>>
    : Shape<Type[Key]>;
};

export const text: Shape<string> = (value, place) => mustBe(typeof value === 'string', place, 'text', value);

export const number: Shape<number> = (value, place) =>
  mustBe(typeof value === 'number', place, 'a number', value);

export const boolean: Shape<boolean> = (value, place) =>
  mustBe(typeof value === 'boolean', place, 'true or false', value);

/** One of these values. */
export function oneOf<const Type extends string | number>(...values: readonly Type[]): Shape<Type> {
  return (value, place) =>
    mustBe(values.includes(value as Type), place, `one of ${values.join(', ')}`, value);
}

export function listOf<Type>(item: Shape<Type>): Shape<readonly Type[]> {
  return (value, place) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => item(one, `${place}[${index}]`))
      : mustBe(false, place, 'a list', value);
}

/** An object whose keys are names of the author's choice. */
export function mapOf<Type>(member: Shape<Exclude<Type[keyof Type], undefined>>): Shape<Type> {
  return (value, place) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, one]) => member(one, below(place, key)))
      : mustBe(false, place, 'an object', value);
}

/** An object with these members and no others. */
export function object<Type>(members: Members<Type>): Shape<Type> {
  const shapes = Object.entries(members as Readonly<Record<string, Shape<never> | Optional<never>>>);
  return (value, place) => {
    if (!isObject(value)) return mustBe(false, place, 'an object', value);
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(members, key));
    return [
      ...shapes.flatMap(([key, shape]) => memberFaults(value, key, shape, below(place, key))),
      ...unknown.map(
        (key) => `has no member ${below(place, key)} (it has ${Object.keys(members).join(', ')})`,
      ),
    ];
  };
}

export function optional<Type>(shape: Shape<Type>): Optional<Type> {
  return { optional: shape };
}

/** The first shape if the value passes `isFirst`, else the second. */
export function either<First, Second>(
  isFirst: (value: unknown) => boolean,
  first: Shape<First>,
  second: Shape<Second>,
): Shape<First | Second> {
  return (value, place) => (isFirst(value) ? first : second)(value, place);
}

/** Whether a value is an object with a member of this name. */
export function has(name: string): (value: unknown) => boolean {
  return (value) => isObject(value) && Object.hasOwn(value, name);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberFaults(
  object: Readonly<Record<string, unknown>>,
  key: string,
  shape: Shape<never> | Optional<never>,
  place: string,
): readonly string[] {
  const value = object[key];
  if (typeof shape !== 'function') return value === undefined ? [] : shape.optional(value, place);
  return value === undefined ? [`${place} is missing`] : shape(value, place);
}

function below(place: string, key: string): string {
  return place === ANSWER ? key : `${place}.${key}`;
}

/** What a fault calls the answer itself. */
export const ANSWER = 'the answer';

function mustBe(isMet: boolean, place: string, kind: string, value: unknown): string[] {
  return isMet ? [] : [`${place} must be ${kind} (got ${describe(value)})`];
}

/** A value in a few words. */
function describe(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    const written = JSON.stringify(value);
    return written.length > 40 ? `${written.slice(0, 39)}…` : written;
  }
  if (Array.isArray(value)) return 'a list';
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
