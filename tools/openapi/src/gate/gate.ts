import type { Ledger } from '../ledger.js';
import { type Fact, type Facts, factsOf, type Source } from './facts.js';

/** What is compared. */
export interface GateInput {
  /** What the specification states, as OpenAPI 3.1. */
  readonly baseline: Source;
  /** The application's document without any answer. */
  readonly open: Source;
  /** The application's document with the answers that are entered. */
  readonly answered: Source;
  readonly ledger: Ledger;
}

/** A fact of the baseline, of a document, or of both. */
export interface Finding {
  readonly state: 'specified' | 'missing' | 'contradicted' | 'invented' | 'answered';
  readonly pointer: string;
  /** As the baseline has it. */
  readonly stated?: Fact | undefined;
  /** As the document has it. */
  readonly shown?: Fact | undefined;
  /** The question whose answer shows it, or should. */
  readonly question?: string;
}

/**
 * Compares two documents with the baseline. Without answers, the document is the baseline, fact by fact. With answers, it
 * still has each fact of the baseline, and what comes beside is answered. A fact that no answer shows is invented in
 * either, and one that an answer shows must be there.
 *
 * @returns a finding for each fact; what both documents say of it stands once
 * @throws ToolError if a text can't be understood
 */
export function gate({ baseline, open, answered, ledger }: GateInput): Finding[] {
  const stated = factsOf(baseline);
  const found = [
    ...compare(stated, factsOf(open), {}),
    ...compare(stated, factsOf(answered), ledger).filter(({ state }) => state !== 'specified'),
  ];
  const seen = new Set<string>();
  return found.filter(({ state, pointer, shown }) => {
    const key = JSON.stringify([state, pointer, shown?.text]);
    return !seen.has(key) && seen.add(key);
  });
}

/** What a document says of each fact of the baseline and of each that an answer shows, and what it says beside. */
export function compare(baseline: Facts, document: Facts, ledger: Ledger): Finding[] {
  const ofBaseline = Array.from(baseline, ([pointer, stated]): Finding => {
    const shown = document.get(pointer);
    if (shown === undefined) return { state: 'missing', pointer, stated };
    return { state: shown.text === stated.text ? 'specified' : 'contradicted', pointer, stated, shown };
  });
  const questions = placesIn(ledger);
  const beside = [...document.values()]
    .filter(({ pointer }) => !baseline.has(pointer))
    .map((shown): Finding => {
      const { pointer } = shown;
      const question = questions.get(pointer);
      return question === undefined
        ? { state: 'invented', pointer, shown }
        : { state: 'answered', pointer, shown, question };
    });
  const there = new Set([...document.keys()].flatMap(waysTo));
  const lost = Array.from(questions, ([pointer, question]): Finding => ({
    state: 'missing',
    pointer,
    question,
  }));
  return [...ofBaseline, ...beside, ...lost.filter(({ pointer }) => !there.has(pointer))];
}

/** A pointer, and those to what it is part of. An answer may show more there than another. */
function waysTo(pointer: string): string[] {
  const above = pointer.lastIndexOf('/');
  return above <= 0 ? [pointer] : [...waysTo(pointer.slice(0, above)), pointer];
}

/** The question of each place. Where two answers show the same, it is that of the first. */
function placesIn(ledger: Ledger): ReadonlyMap<string, string> {
  const questions = new Map<string, string>();
  for (const [question, { places = [] }] of Object.entries(ledger))
    for (const place of places) questions.set(place, questions.get(place) ?? question);
  return questions;
}

/** Whether nothing fails: each fact is specified or answered. */
export function isClean(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state === 'specified' || state === 'answered');
}

/** `11 specified, 0 missing, 0 contradicted, 0 invented, 2 answered` */
export function tallyOf(findings: readonly Finding[]): string {
  return (['specified', 'missing', 'contradicted', 'invented', 'answered'] as const)
    .map((state) => `${findings.filter((finding) => finding.state === state).length} ${state}`)
    .join(', ');
}
