import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ToolError } from '../tool-error.js';

/** A text, and the file that errors and places name. */
export interface Source {
  readonly text: string;
  readonly file: string;
}

/** One thing that a document states: a value that has no parts. */
export interface Fact {
  /** JSON Pointer (RFC 6901). A parameter is named by its place and name instead of its index. */
  readonly pointer: string;
  /** The value as JSON text. */
  readonly text: string;
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
  /** The comment at the end of this line, without `#`: in the baseline, the section that states the fact. */
  readonly comment?: string | undefined;
}

/** Where the list of parameters of a webhook is, or of its operation. A member of this name elsewhere is data. */
const PARAMETERS = /^\/webhooks\/[^/]+(?:\/[^/]+)?\/parameters$/;

/** What a document states, by pointer, in its order. */
export type Facts = ReadonlyMap<string, Fact>;

/**
 * The facts of a document in YAML 1.2 without aliases, or JSON.
 *
 * @throws ToolError `syntax` with the line
 */
export function factsOf({ text, file }: Source): Facts {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    schema: 'core',
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const lineAt = (offset = 0): number => lines.linePos(offset).line;
  const refuse = (line: number, message: string): never => {
    throw new ToolError('syntax', `${file}:${line}: ${message}`);
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) refuse(lineAt(problem.pos[0]), problem.message.split('\n')[0]!);
  const comments = text.split(/\r?\n/).map((line) => /(?:^|\s)#\s*(\S.*)$/.exec(line)?.[1]);
  const facts = new Map<string, Fact>();

  function visit(node: unknown, pointer: string, offset: number | undefined): void {
    const line = lineAt(offset);
    const state = (value: unknown): void => {
      if (typeof value === 'number' && !Number.isFinite(value)) refuse(line, `${value} is not a JSON value`);
      facts.set(pointer, {
        pointer,
        text: JSON.stringify(value),
        file,
        line,
        comment: comments[line - 1],
      });
    };
    if (isAlias(node)) refuse(line, 'an alias is not allowed: write the value itself');
    if (isMap(node)) {
      if (node.items.length === 0) state({});
      const names = new Set<string>();
      for (const { key, value } of node.items) {
        if (!isScalar(key)) return refuse(line, 'a key is not plain text');
        const name = key.source ?? String(key.value);
        // YAML tells the keys 200 and "200" apart. JSON does not.
        if (names.has(name)) refuse(lineAt(key.range?.[0]), `${name} stands twice`);
        names.add(name);
        visit(value, pointer + stepTo(name), key.range?.[0]);
      }
    } else if (isSeq(node)) {
      if (node.items.length === 0) state([]);
      const isParameters = PARAMETERS.test(pointer);
      node.items.forEach((item, index) => {
        const name = isParameters ? parameterName(item) : undefined;
        const below = pointer + stepTo(name ?? String(index));
        // A parameter that stands twice has two sets of facts.
        const isTaken = [...facts.keys()].some((other) => other.startsWith(`${below}/`));
        visit(item, isTaken ? `${below} (${index})` : below, (item as Node).range?.[0]);
      });
    } else state(isScalar(node) ? node.value : null);
  }

  visit(document.contents, '', 0);
  return facts;
}

/** `header webhook-id`: names of headers have no case (RFC 9110 §5.1). Undefined if it has no name. */
function parameterName(parameter: unknown): string | undefined {
  if (!isMap(parameter)) return undefined;
  const [place, name] = [parameter.get('in'), parameter.get('name')];
  if (typeof place !== 'string' || typeof name !== 'string') return undefined;
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

/** A step of a pointer (RFC 6901 §3). */
function stepTo(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The place of a fact as a person reads it: `webhooks › /plant/webhook › summary`. */
export function nameOf(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join(' › ');
}
