import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { prettify } from '../format/markdown.js';
import { actionFields, type OverlayAnswer } from './overlay-actions.js';

const EMPTY = `overlay: 1.0.0
info:
  title: Answers to the open questions
  version: 1.0.0
actions: []
`;

/**
 * The overlay with these answers, each in place of the actions that its question had. Comments and all other actions
 * stay. A new answer is put in the order of the register.
 *
 * @param text the overlay; undefined if there is none
 * @param questions every question, in the order of the register
 */
export async function enterInOverlay(
  text: string | undefined,
  answers: readonly OverlayAnswer[],
  questions: readonly string[],
): Promise<string> {
  const { document, actions } = readActions(text ?? EMPTY);
  for (const answer of answers) enter(document, actions, answer, questions);
  return write(document, actions);
}

/** The overlay without the actions of a question; undefined if no action is left. */
export async function removeFromOverlay(text: string, question: string): Promise<string | undefined> {
  const { document, actions } = readActions(text);
  actions.items = actions.items.filter((action) => questionOf(action) !== question);
  return actions.items.length === 0 ? undefined : write(document, actions);
}

type Actions = YAMLSeq<YAMLMap>;

/** The gate has read the overlay before, so it has actions. */
function readActions(text: string): { document: Document; actions: Actions } {
  const document = parseDocument(text);
  writeAliasesOut(document);
  const actions = document.get('actions');
  if (!isSeq(actions)) throw new Error('`actions` is no list');
  return { document, actions: actions as Actions };
}

/** What an alias stands for may be in an action that goes. */
function writeAliasesOut(document: Document): void {
  visit(document, { Alias: (_key, alias) => alias.resolve(document)?.clone() as Node | undefined });
  visit(document, {
    Value(_key, node) {
      delete node.anchor;
    },
  });
}

function write(document: Document, actions: Actions): Promise<string> {
  actions.flow = false;
  return prettify(document.toString({ lineWidth: 0, singleQuote: true }), 'yaml');
}

function enter(
  document: Document,
  actions: Actions,
  answer: OverlayAnswer,
  questions: readonly string[],
): void {
  const { question } = answer;
  const own = actions.items.filter((action) => questionOf(action) === question);
  const written = actionFields(answer).map((fields, index) => {
    const action = own[index] ?? document.createNode({});
    setFields(document, action, fields);
    return action;
  });
  const rest = actions.items.filter((action) => !own.includes(action));
  const rank = questions.indexOf(question);
  const next = rest.findIndex((action) => questions.indexOf(questionOf(action)) > rank);
  const first = own[0] === undefined ? next : actions.items.indexOf(own[0]);
  const place = first === -1 ? rest.length : first;
  actions.items = [...rest.slice(0, place), ...written, ...rest.slice(place)];
}

function questionOf(action: YAMLMap): string {
  return String(action.get('x-question'));
}

/** Sets the fields that differ, so that the comments and the layout of the others stay. */
function setFields(document: Document, action: YAMLMap, fields: Readonly<Record<string, unknown>>): void {
  for (const name of ['update', 'x-answer']) if (!(name in fields)) action.delete(name);
  Object.entries(fields).forEach(([name, value], index) => {
    const pair = action.items.find(({ key }) => isScalar(key) && key.value === name);
    if (pair === undefined) action.items.splice(index, 0, document.createPair(name, value));
    else if (!isEqual(plainOf(pair.value, document), value)) pair.value = document.createNode(value);
  });
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function plainOf(node: unknown, document: Document): unknown {
  return isMap(node) || isSeq(node) || isScalar(node) ? node.toJS(document) : node;
}
