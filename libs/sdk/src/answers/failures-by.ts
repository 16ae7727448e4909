import { type ErrorCodes, type Failure, FAILURES, type StatusCodes } from '@plant-store/contract';

/** The failure that a code stands for; a code of several stands for none. */
export function failuresByCode(codes: ErrorCodes): ReadonlyMap<string, Failure> {
  return unambiguous(Object.entries(codes) as [Failure, string][]);
}

/**
 * The failure that an answered status stands for; one that several failures have stands for none, whether theirs is
 * answered, settled by a standard or the one that HTTP defines.
 */
export function failuresByStatus(codes: StatusCodes): ReadonlyMap<number, Failure> {
  const answered = Object.fromEntries(
    Object.entries(codes).map(([failure, { status }]) => [failure, status]),
  );
  const statuses = Object.entries({ ...FAILURES, ...answered }) as [Failure, number][];
  return new Map([...unambiguous(statuses)].filter(([, failure]) => Object.hasOwn(codes, failure)));
}

function unambiguous<Sign>(signs: readonly (readonly [Failure, Sign])[]): ReadonlyMap<Sign, Failure> {
  const isOfOne = (sign: Sign): boolean => signs.filter(([, other]) => other === sign).length === 1;
  return new Map(signs.filter(([, sign]) => isOfOne(sign)).map(([failure, sign]) => [sign, failure]));
}
