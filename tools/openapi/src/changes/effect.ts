/** Whether a change has an effect; `maybe` if the rules don't know, `additive` if only for what no document names. */
export type Sureness = 'yes' | 'no' | 'maybe' | 'additive';

/** What a change does to what a place allows: more, less, both or nothing. */
export interface Effect {
  /** It allows something new: whoever reads it may not understand. */
  readonly widens: Sureness;
  /** It no longer allows something: whoever writes may still write it. */
  readonly narrows: Sureness;
}

export const NEITHER: Effect = { widens: 'no', narrows: 'no' };
export const WIDENS: Effect = { widens: 'yes', narrows: 'no' };
export const NARROWS: Effect = { widens: 'no', narrows: 'yes' };
export const EITHER: Effect = { widens: 'yes', narrows: 'yes' };
export const ADDITIVE: Effect = { widens: 'additive', narrows: 'additive' };
export const UNKNOWN: Effect = { widens: 'maybe', narrows: 'maybe' };

/** What a keyword on the way to a change does to its effect. */
export type Modifier =
  /** Under `not`: a wider schema allows less. */
  | 'negated'
  /** Under `oneOf`: a wider alternative may overlap with another, and what fits both is not allowed. */
  | 'exclusive'
  /** Beside `unevaluatedProperties` or `unevaluatedItems`: what a part describes is no longer refused by them. */
  | 'unevaluated'
  /** Under `if`: the effect isn't known. */
  | 'unsure'
  /** In a definition or an unused component: the effect isn't known, for something may use it by its name. */
  | 'defined'
  /** In examples: no effect. */
  | 'silent';

/** The effect of a change that has `effect` where it is, seen from further out. */
export function modified(effect: Effect, modifier: Modifier): Effect {
  const { widens, narrows } = effect;
  if (modifier === 'silent' || (widens === 'no' && narrows === 'no')) return NEITHER;
  if (modifier === 'negated') return { widens: narrows, narrows: widens };
  if (modifier === 'unevaluated') return { widens: beside(widens), narrows: beside(narrows) };
  if (modifier !== 'exclusive') return UNKNOWN;
  return { widens: widens === 'no' ? 'maybe' : widens, narrows: narrows === 'no' ? 'maybe' : narrows };
}

function beside(sureness: Sureness): Sureness {
  if (sureness === 'additive') return 'yes';
  return sureness === 'no' ? 'maybe' : sureness;
}

const PROBES: readonly Effect[] = [WIDENS, NARROWS, ADDITIVE, { widens: 'maybe', narrows: 'no' }];

/** The same text for modifiers that together do the same to every effect. */
export function signatureOf(modifiers: readonly Modifier[]): string {
  return JSON.stringify(PROBES.map((effect) => modifiers.reduceRight(modified, effect)));
}
