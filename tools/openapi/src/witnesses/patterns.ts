import randexp from 'randexp';
import { withinTime } from './time-limit.js';

/** It is the class itself, whatever its types say. */
const RandExp = randexp as unknown as typeof randexp.default;

/** A pattern may take time that grows without end. Its test is ended then. */
const TIME_LIMIT_MILLISECONDS = 100;
/** After so many patterns that took too long, none is tried any more. */
const MAX_SLOW = 10;
const MAX_STEPS = 1000;

/** Tests patterns of documents that come from anybody, and finds texts that match them. */
export class Patterns {
  readonly #slow = new Set<string>();
  readonly #matching = new Map<string, readonly string[]>();

  /** A pattern as ajv asks for it. Its test throws if it takes too long. */
  readonly compile = Object.assign(
    (pattern: string): { test: (text: string) => boolean; toString: () => string } => {
      const expression = regExp(pattern);
      // ajv keeps one for each text of it.
      return { test: (text) => this.#test(pattern, expression, text), toString: () => pattern };
    },
    { code: '' },
  );

  /** Whether a text matches; undefined if that can't be found out. */
  matches(pattern: string, text: string): boolean | undefined {
    try {
      return this.#test(pattern, regExp(pattern), text);
    } catch {
      return undefined;
    }
  }

  /** A few texts that match, the shortest first. None if none is found. */
  textsFor(pattern: string): readonly string[] {
    const known = this.#matching.get(pattern);
    if (known !== undefined) return known;
    const picks = [(from: number) => from, (_: number, to: number) => to, middle];
    const texts = picks.flatMap((pick) => textFor(pattern, pick) ?? []);
    const matching = [...new Set(texts)].filter((text) => this.matches(pattern, text) === true);
    this.#matching.set(pattern, matching);
    return matching;
  }

  #test(pattern: string, expression: RegExp, text: string): boolean {
    if (this.#slow.has(pattern) || this.#slow.size >= MAX_SLOW) throw new Error('the pattern takes too long');
    try {
      return withinTime(TIME_LIMIT_MILLISECONDS, () => expression.test(text));
    } catch {
      this.#slow.add(pattern);
      throw new Error('the pattern takes too long');
    }
  }
}

/** JSON Schema asks for Unicode patterns; many that are written are none. */
function regExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

function middle(from: number, to: number): number {
  return Math.floor((from + to) / 2);
}

/** @param pick a number of a range: how often something is repeated, and which of several is taken */
function textFor(pattern: string, pick: (from: number, to: number) => number): string | undefined {
  let steps = 0;
  try {
    const texts = new RandExp(pattern);
    texts.max = 2;
    texts.randInt = (from: number, to: number) => {
      const picked = pick(from, to);
      if (++steps > MAX_STEPS || picked > MAX_STEPS) throw new Error('too long');
      return picked;
    };
    return texts.gen();
  } catch {
    return undefined;
  }
}
