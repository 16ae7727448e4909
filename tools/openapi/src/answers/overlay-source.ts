import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { type Provenance, targetTo } from '../gate/overlay.js';
import { formatYaml } from './format.js';
import type { ImpliedAction } from '../gate/implied.js';

/** An answer that an overlay states. */
export interface SignedAnswer extends Provenance {
  readonly question: string;
  readonly value: unknown;
  /** What the answer adds to the document. */
  readonly actions: readonly ImpliedAction[];
}

/** The actions of an answer as they are written. The first has the answer. */
export function answerActions(answer: SignedAnswer): Record<string, unknown>[] {
  const { question, value, actions, answeredBy, date, reason } = answer;
  const added = actions.map(({ steps, update }) => ({ target: targetTo(steps), update }));
  return (added.length === 0 ? [{ target: '$' }] : added).map((part, index) => ({
    ...part,
    'x-question': question,
    ...(index === 0 && { 'x-answer': value }),
    'x-answered-by': answeredBy,
    'x-date': date,
    'x-reason': reason,
  }));
}

const EMPTY = `overlay: 1.0.0
info:
  title: Answers to the open questions
  version: 1.0.0
actions: []
`;

/**
 * The overlay with an answer, in place of the actions that its question had. Comments and all other actions stay. A new
 * answer is put in the order of the register.
 *
 * @param text the overlay; undefined if there is none
 * @param questions every question, in the order of the register
 */
export async function enterInOverlay(
  text: string | undefined,
  answer: SignedAnswer,
  questions: readonly string[],
): Promise<string> {
  const { document, actions } = readActions(text ?? EMPTY);
  const own = actions.items.filter((action) => questionOf(action) === answer.question);
  const written = answerActions(answer).map((fields, index) => {
    const action = own[index] ?? document.createNode({});
    setFields(document, action, fields);
    return action;
  });
  const rest = actions.items.filter((action) => !own.includes(action));
  const rank = questions.indexOf(answer.question);
  const next = rest.findIndex((action) => questions.indexOf(questionOf(action)) > rank);
  const first = own[0] === undefined ? next : actions.items.indexOf(own[0]);
  const place = first === -1 ? rest.length : first;
  actions.items = [...rest.slice(0, place), ...written, ...rest.slice(place)];
  return write(document, actions);
}

/** The overlay without the actions of a question; undefined if no action is left. */
export async function removeFromOverlay(text: string, question: string): Promise<string | undefined> {
  const { document, actions } = readActions(text);
  actions.items = actions.items.filter((action) => questionOf(action) !== question);
  return actions.items.length === 0 ? undefined : write(document, actions);
}

/** The gate reads no aliases. */
const OPTIONS = { aliasDuplicateObjects: false };

type Actions = YAMLSeq<YAMLMap>;

/** The gate has read the overlay before, so it has actions. */
function readActions(text: string): { document: Document; actions: Actions } {
  const document = parseDocument(text);
  const actions = document.get('actions');
  if (!isSeq(actions)) throw new Error('`actions` is no list');
  return { document, actions: actions as Actions };
}

function write(document: Document, actions: Actions): Promise<string> {
  actions.flow = false;
  return formatYaml(document.toString({ lineWidth: 0, singleQuote: true }));
}

function questionOf(action: YAMLMap): string {
  return String(action.get('x-question'));
}

/** Sets the fields that differ, so that the comments and the layout of the others stay. */
function setFields(document: Document, action: YAMLMap, fields: Readonly<Record<string, unknown>>): void {
  for (const name of ['update', 'x-answer']) if (!(name in fields)) action.delete(name);
  Object.entries(fields).forEach(([name, value], index) => {
    const pair = action.items.find(({ key }) => isScalar(key) && key.value === name);
    if (pair === undefined) action.items.splice(index, 0, document.createPair(name, value, OPTIONS));
    else if (!isDeepStrictEqual(plainOf(pair.value, document), value))
      pair.value = document.createNode(value, OPTIONS);
  });
}

function plainOf(node: unknown, document: Document): unknown {
  return isMap(node) || isSeq(node) || isScalar(node) ? node.toJS(document) : node;
}
