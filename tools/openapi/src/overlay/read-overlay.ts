import type { SourceFiles } from '../read/source-files.js';
import { formatPlace, type Place, type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';

/** Of one answer on the specification's side: an action of an OpenAPI Overlay with its provenance. */
export interface Action {
  /** The JSONPath as it is written. */
  readonly target: string;
  /** Keys and indices that lead to the target. */
  readonly steps: readonly string[];
  /** What it adds there; nothing where OpenAPI has no place for the answer. */
  readonly update?: SourceNode;
  /** The value of the answer (`x-answer`), in one action of each question. */
  readonly answer?: SourceNode;
  /** Id of the question that it answers (`x-question`). */
  readonly question: string;
  /** Who answered (`x-answered-by`). */
  readonly answeredBy: string;
  /** When, as `2026-01-31` (`x-date`). */
  readonly date: string;
  /** Why (`x-reason`). */
  readonly reason: string;
  /** Where the action is written. */
  readonly place: Place;
}

const FIELDS = [
  'target',
  'description',
  'update',
  'x-question',
  'x-answer',
  'x-answered-by',
  'x-date',
  'x-reason',
];

/**
 * The actions of an OpenAPI Overlay 1.0.0 with answers. It is read more strictly than the standard
 * asks: a target denotes exactly one node, nothing is removed, and each action says which question it
 * answers, who answered it, when and why. One action of a question may say the answer itself, as `x-answer`;
 * where OpenAPI has no place for it, that action has no `update`, and its target is `$`.
 *
 * @throws ToolError `bad-overlay` with the line
 */
export function readOverlay(files: SourceFiles, path: string): Action[] {
  const root = files.root(path);
  if (stringAt(root, 'overlay') !== '1.0.0') throw fault(root, 'not an OpenAPI Overlay 1.0.0');
  const actions = valueAt(root, 'actions');
  if (actions?.kind !== 'list' || actions.items.length === 0)
    throw fault(root, '`actions` must be a list of at least one action');
  const read = actions.items.map(readAction);
  refuseSecondAnswers(read);
  return read;
}

function readAction(node: SourceNode): Action {
  if (node.kind !== 'map') throw fault(node, 'an action must be an object');
  for (const [field, entry] of node.entries) {
    if (field === 'remove') throw fault(entry, '`remove` is not allowed: an answer only adds');
    if (!FIELDS.includes(field)) throw fault(entry, `an action has no field \`${field}\``);
  }
  const target = textAt(node, 'target');
  const steps = targetSteps(target);
  if (steps === undefined) throw fault(node, `target \`${target}\` must name exactly one place: ${PLAIN}`);
  const update = valueAt(node, 'update');
  const answer = valueAt(node, 'x-answer');
  if (update === undefined && answer === undefined)
    throw fault(node, 'an action needs an `update` or an `x-answer`');
  if (update === undefined && steps.length > 0)
    throw fault(node, 'an action without `update` must have the target `$`');
  return {
    target,
    steps,
    ...(update && { update }),
    ...(answer && { answer }),
    ...provenance(node),
    place: node,
  };
}

const PLAIN = "write `$`, then `.name`, `['name']` or `[0]`";

function provenance(node: SourceNode): Pick<Action, 'question' | 'answeredBy' | 'date' | 'reason'> {
  const date = textAt(node, 'x-date');
  if (!isDate(date)) throw fault(node, `\`x-date\` is \`${date}\`: write a date such as 2026-01-31`);
  return {
    question: textAt(node, 'x-question'),
    answeredBy: textAt(node, 'x-answered-by'),
    date,
    reason: textAt(node, 'x-reason'),
  };
}

/** Whether a text is a day of the calendar, as `2026-01-31`. */
export function isDate(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}

/** A question has one answer. */
function refuseSecondAnswers(actions: readonly Action[]): void {
  const first = new Map<string, Action>();
  for (const action of actions.filter(({ answer }) => answer !== undefined)) {
    const other = first.get(action.question);
    if (other !== undefined)
      throw fault(
        action.place,
        `${action.question} already has an \`x-answer\` at ${formatPlace(other.place)}`,
      );
    first.set(action.question, action);
  }
}

function textAt(node: SourceNode, field: string): string {
  const text = stringAt(node, field)?.trim();
  if (text === undefined || text === '') throw fault(node, `an action needs a text in \`${field}\``);
  if (/^<.*>$/.test(text)) throw fault(node, `\`${field}\` is \`${text}\`: fill it in`);
  return text;
}

function fault(place: Place, problem: string): ToolError {
  return new ToolError('bad-overlay', `${formatPlace(place)}: ${problem}`);
}

const STEP = /\.([\p{L}_][\p{L}\p{N}_]*)|\[(0|[1-9]\d*)\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]/uy;

/**
 * The keys and indices of a JSONPath (RFC 9535) that denotes exactly one node: `$`, then `.name`, `['name']`
 * and `[0]`. Undefined for any other: a wildcard, a filter or a search could match nothing or too much.
 */
export function targetSteps(path: string): string[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: string[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null) return undefined;
    const [, name, index, single, double] = match;
    steps.push(name ?? index ?? single ?? double ?? '');
  }
  return steps;
}

/** A JSONPath to one place, as `targetSteps` reads it: `$.webhooks['/plant/webhook']`, `$.servers[0]`. */
export function targetOf(steps: readonly string[]): string {
  const written = steps.map((step) => {
    if (/^(?:0|[1-9]\d*)$/.test(step)) return `[${step}]`;
    if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(step)) return `.${step}`;
    return step.includes("'") ? `["${step}"]` : `['${step}']`;
  });
  return `$${written.join('')}`;
}
