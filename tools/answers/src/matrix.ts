import type { ExecutableId, openQuestions, QuestionId, Surface } from '@plant-store/contract';

/** The surfaces on which an answer may show, in the order of the page. */
export const SURFACES = ['receiver', 'sender', 'types', 'document'] as const satisfies readonly Surface[];

/** What is seen of something, by the name that docs/answers.md gives it. */
export type Observations = Readonly<Record<string, string>>;

/** What is seen on each surface. */
export type Seen = { readonly [Name in Surface]: Observations };

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
  readonly [Name in SurfacesOf<Id>]: Observations | `with ${ExecutableId}`;
} & {
  /** The answers without which this one shows less, in an order in which each is built on earlier ones. */
  readonly builtOn?: readonly ExecutableId[];
};

/** Observations made surface by surface. */
export function onEach(look: (surface: Surface) => Observations): Seen {
  return {
    receiver: look('receiver'),
    sender: look('sender'),
    types: look('types'),
    document: look('document'),
  };
}

/** Stands for an observation that is no longer made. */
export const GONE = 'nothing';

/** The observations that differ from before. */
export function changes(before: Observations, after: Observations): Observations {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names.flatMap((name) => (before[name] === after[name] ? [] : [[name, after[name] ?? GONE]])),
  );
}
