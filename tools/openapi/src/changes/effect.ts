/** Whether something is so; `maybe` if the rules cannot tell. */
export type Sureness = 'yes' | 'no' | 'maybe';

/** What a change does to what may be said at a place: more, less, both or nothing. */
export interface Effect {
  /** Something may be said that might not be before: whoever reads it may not understand. */
  readonly widens: Sureness;
  /** Something may no longer be said: whoever writes it may still do so. */
  readonly narrows: Sureness;
}

export const NEITHER: Effect = { widens: 'no', narrows: 'no' };
export const WIDENS: Effect = { widens: 'yes', narrows: 'no' };
export const NARROWS: Effect = { widens: 'no', narrows: 'yes' };
export const EITHER: Effect = { widens: 'yes', narrows: 'yes' };
export const UNKNOWN: Effect = { widens: 'maybe', narrows: 'maybe' };

/** How the keywords of JSON Schema on the way to a change turn its effect. */
export type Turn =
  /** Under `not`: what widens a schema narrows what it is taken from. */
  | 'negated'
  /** Under `oneOf`: a wider alternative may overlap with another, and then neither is allowed. */
  | 'exclusive'
  /** Under `if`: nothing follows. */
  | 'unsure'
  /** In a definition or a component that is used nowhere, unless something means it without a reference. */
  | 'defined'
  /** Examples: nothing is said by it. */
  | 'silent';

/** The effect of a change that has `effect` where it is, seen from further out. */
export function turned(effect: Effect, turn: Turn): Effect {
  const { widens, narrows } = effect;
  if (turn === 'silent' || (widens === 'no' && narrows === 'no')) return NEITHER;
  if (turn === 'negated') return { widens: narrows, narrows: widens };
  if (turn !== 'exclusive') return UNKNOWN;
  return { widens: widens === 'no' ? 'maybe' : widens, narrows: narrows === 'no' ? 'maybe' : narrows };
}

/** Both at once. */
export function joined(one: Effect, other: Effect): Effect {
  return { widens: surer(one.widens, other.widens), narrows: surer(one.narrows, other.narrows) };
}

function surer(one: Sureness, other: Sureness): Sureness {
  if (one === 'yes' || other === 'yes') return 'yes';
  return one === 'maybe' || other === 'maybe' ? 'maybe' : 'no';
}
