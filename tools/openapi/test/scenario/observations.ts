import type { ExecutableId, openQuestions, QuestionId, Surface } from '@plant-store/contract';

/**
 * The surfaces on which an answer is observed. What it adds to the document, the gate compares
 * with the example overlay.
 */
export const SURFACES = ['receiver', 'sender', 'types'] as const satisfies readonly Surface[];

/** What is seen of something, by its name. */
export type Observations = Readonly<Record<string, string>>;

/** What is seen on each surface. */
export type Seen = { readonly [Name in (typeof SURFACES)[number]]: Observations };

/** The surfaces on which an answer shows, by the register. */
type SurfacesOf<Id extends QuestionId> = Extract<
  (typeof openQuestions)[number],
  { readonly id: Id }
>['shows'][number];

/**
 * What an answer changes. A row has exactly the surfaces that the register's `shows` names, and on each lists only
 * the observations that change. `with payload`: it shows there only once payload is answered too.
 */
export type Row<Id extends ExecutableId> = {
  readonly [Name in SurfacesOf<Id> & keyof Seen]: Observations | `with ${ExecutableId}`;
} & {
  /** The answers without which this one shows less, in an order in which each is built on earlier ones. */
  readonly builtOn?: readonly ExecutableId[];
};

/** Observations made surface by surface. */
export function onEach(look: (surface: keyof Seen) => Observations): Seen {
  return { receiver: look('receiver'), sender: look('sender'), types: look('types') };
}

/** The observations that differ from before. */
export function changes(before: Observations, after: Observations): Observations {
  return Object.fromEntries(Object.entries(after).filter(([name, seen]) => before[name] !== seen));
}
