import { isDay } from '@plant-store/contract/check';
import { ToolError } from '../tool-error.js';
import {
  child,
  descend,
  formatPlace,
  listOf,
  mapOf,
  parse,
  type Place,
  pointerOf,
  type SourceNode,
  textOf,
} from './read.js';
import { mapParts } from './references.js';

/** Who answered a question, when (as `2026-01-31`) and why. */
export interface Provenance {
  readonly answeredBy: string;
  readonly date: string;
  readonly reason: string;
}

/** One action of the overlay: what an answer adds to the document at one place. */
export interface Action extends Provenance {
  readonly question: string;
  /** Keys and indices that lead to the target. */
  readonly steps: readonly string[];
  /** What it adds there; nothing where OpenAPI has no place for the answer. */
  readonly update?: SourceNode | undefined;
  /** The answer itself, in one action of each question. */
  readonly answer?: SourceNode | undefined;
  readonly place: Place;
}

/** A field of an action, by what it is in `Action`. */
const FIELDS = { question: 'x-question', answeredBy: 'x-answered-by', date: 'x-date', reason: 'x-reason' };
const KNOWN = ['target', 'description', 'update', 'x-answer', ...Object.values(FIELDS)];

/**
 * The actions of an OpenAPI Overlay 1.0.0 with answers. It is stricter than the standard: a target names exactly one
 * place, nothing is removed, and each action says which question it answers, who answered it, when and why.
 *
 * @throws ToolError `syntax` or `bad-overlay`, with the line
 */
export function readOverlay(text: string, file: string): Action[] {
  const root = parse(text, file);
  if (descend(root, ['overlay'])?.value !== '1.0.0') throw fault(root, 'not an OpenAPI Overlay 1.0.0');
  const items = listOf(descend(root, ['actions'])) ?? [];
  if (items.length === 0) throw fault(root, '`actions` must be a list of at least one action');
  const actions = items.map(readAction);
  for (const [index, { question, answer, place }] of actions.entries()) {
    const first = actions.slice(0, index).find((other) => other.question === question && other.answer);
    if (answer !== undefined && first !== undefined)
      throw fault({ place }, `${question} already has an \`x-answer\` at ${formatPlace(first.place)}`);
  }
  return actions;
}

function readAction(node: SourceNode): Action {
  const entries = mapOf(node);
  if (entries === undefined) throw fault(node, 'an action must be an object');
  for (const [field, { place }] of entries) {
    if (field === 'remove') throw fault({ place }, '`remove` is not allowed: an answer only adds');
    if (!KNOWN.includes(field)) throw fault({ place }, `an action has no field \`${field}\``);
  }
  const target = textAt(node, 'target');
  const steps = targetSteps(target);
  if (steps === undefined)
    throw fault(
      node,
      `target \`${target}\` must name one place: write \`$\`, then \`.name\`, \`['name']\` or \`[0]\``,
    );
  const [update, answer] = [entries.get('update'), entries.get('x-answer')];
  if (update === undefined && (answer === undefined || steps.length > 0))
    throw fault(node, 'an action without `update` needs an `x-answer` and the target `$`');
  const [question, answeredBy, date, reason] = Object.values(FIELDS).map((field) => textAt(node, field));
  if (!isDay(date ?? '')) throw fault(node, `\`x-date\` is \`${date}\`: write a date such as 2026-01-31`);
  const stated = { question, answeredBy, date, reason } as Provenance & { question: string };
  return { ...stated, steps, update, answer, place: node.place };
}

function textAt(node: SourceNode, field: string): string {
  const value = child(node, field)?.value;
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') throw fault(node, `an action needs a text in \`${field}\``);
  if (/^<.*>$/.test(text)) throw fault(node, `\`${field}\` is \`${text}\`: fill it in`);
  return text;
}

function fault({ place }: Pick<SourceNode, 'place'>, problem: string): ToolError {
  return new ToolError('bad-overlay', `${formatPlace(place)}: ${problem}`);
}

const STEP = /\.([\p{L}_][\p{L}\p{N}_]*)|\[(0|[1-9]\d*)\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]/uy;

/** The keys and indices of a JSONPath (RFC 9535) that names exactly one place; undefined for any other. */
export function targetSteps(path: string): string[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: string[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null) return undefined;
    const [, name, index, single, double] = match as (string | undefined)[];
    steps.push(name ?? index ?? single ?? double ?? '');
  }
  return steps;
}

/** A JSONPath to one place: `$.webhooks['/plant/webhook']`. */
export function targetTo(steps: readonly string[]): string {
  const written = steps.map((step) => {
    if (/^(?:0|[1-9]\d*)$/.test(step)) return `[${step}]`;
    if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(step)) return `.${step}`;
    return step.includes("'") ? `["${step}"]` : `['${step}']`;
  });
  return `$${written.join('')}`;
}

/** An action that does not fit the baseline. Nothing of it is applied. */
export interface RefusedAction {
  readonly action: Action;
  readonly reason: 'no target' | 'would overwrite' | 'adds nothing';
  readonly pointer: string;
  /** What stands there already. */
  readonly existing?: SourceNode;
}

/** The baseline with the answers in it. */
export interface AnsweredBaseline {
  readonly root: SourceNode;
  /** The action that added what is written at a place. */
  readonly added: ReadonlyMap<Place, Action>;
  readonly refused: readonly RefusedAction[];
}

/**
 * Adds answers to a baseline, in their order. An action adds keys to a map, or objects to a list of objects. Where
 * anything is stated, an empty map or list of the baseline included, it is refused.
 *
 * @param baseline is not changed
 */
export function applyOverlay(baseline: SourceNode, actions: readonly Action[]): AnsweredBaseline {
  let root = baseline;
  const added = new Map<Place, Action>();
  const refused: RefusedAction[] = [];
  for (const action of actions) {
    const { steps, update } = action;
    if (update === undefined) continue;
    const draft = copyOf(root);
    const target = descend(draft, steps);
    const conflict = target && merge(target, update, steps);
    const pointer = pointerOf(steps);
    if (target === undefined) refused.push({ action, reason: 'no target', pointer });
    else if (conflict !== undefined) refused.push({ action, reason: 'would overwrite', ...conflict });
    else if (textOf(draft) === textOf(root)) refused.push({ action, reason: 'adds nothing', pointer });
    else {
      root = draft;
      sign(update, action);
    }
  }
  return { root, added, refused };

  /** @returns what stands where the update would overwrite it */
  function merge(
    target: SourceNode,
    update: SourceNode,
    steps: readonly string[],
  ): { pointer: string; existing: SourceNode } | undefined {
    const here = { pointer: pointerOf(steps), existing: target };
    if (Array.isArray(target.value)) {
      const items = target.value as SourceNode[];
      const all = [...items, ...(listOf(update) ?? [update])];
      if (items.length === 0 || !all.every((item) => mapOf(item) !== undefined)) return here;
      items.push(...all.slice(items.length));
      return undefined;
    }
    const [ours, theirs] = [mapOf(target), mapOf(update)];
    // An empty map is a fact where the baseline states it. Where an answer added it, others may fill it.
    const isStated = ours?.size === 0 && theirs?.size !== 0 && target.place.file === baseline.place.file;
    if (ours === undefined || theirs === undefined || isStated) return here;
    for (const [key, value] of theirs) {
      const existing = ours.get(key);
      if (existing === undefined) (ours as Map<string, SourceNode>).set(key, value);
      const conflict = existing && merge(existing, value, [...steps, key]);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }

  function sign(node: SourceNode, action: Action): void {
    added.set(node.place, action);
    for (const part of mapOf(node)?.values() ?? listOf(node) ?? []) sign(part, action);
  }
}

/** A copy whose maps and lists may be changed. */
function copyOf(node: SourceNode): SourceNode {
  return mapParts(node, copyOf);
}
