import type { SourceNode } from '../read/source-node.js';

/** What is wrong with a value, as the end of a sentence about it; undefined if it is right. */
type Check = (node: SourceNode) => string | undefined;

/** The values of fields that are no objects of OpenAPI, by the name that the tables give them. */
export const VALUES = {
  any: () => undefined,
  text: kindOf('a text', (value) => typeof value === 'string'),
  address: kindOf('a URI', (value) => typeof value === 'string' && /^[^\s<>"{}|\\^`]*$/.test(value)),
  email: kindOf('an e-mail address', (value) => typeof value === 'string' && /^\S+@\S+$/.test(value)),
  boolean: kindOf('true or false', (value) => typeof value === 'boolean'),
  number: kindOf('a number', (value) => typeof value === 'number'),
  'positive number': kindOf('a number above 0', (value) => typeof value === 'number' && value > 0),
  count: kindOf('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0),
  list: (node) => (node.kind === 'list' ? undefined : `must be a list (got ${nameOf(node)})`),
  map: (node) => (node.kind === 'map' ? undefined : `must be a map (got ${nameOf(node)})`),
  version: kindOf('3.1 with a third number, such as 3.1.0', (value) =>
    /^3\.1\.\d+(-.+)?$/.test(String(value)),
  ),
  pattern: kindOf(
    'a regular expression (ECMA-262)',
    (value) => typeof value === 'string' && isRegularExpression(value),
  ),
  anchor: kindOf('a name of letters, digits, `-`, `_` and `.`', (value) =>
    /^[A-Za-z_][-A-Za-z0-9._]*$/.test(String(value)),
  ),
  names,
  types: (node) => (node.kind === 'list' ? listOfTypes(node) : type(node)),
  'place of a parameter': oneOf('query', 'header', 'path', 'cookie'),
  'place of a key': oneOf('query', 'header', 'cookie'),
  'kind of security': oneOf('apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect'),
  'style of a form': oneOf('form', 'spaceDelimited', 'pipeDelimited', 'deepObject'),
  'style of a header': oneOf('simple'),
} as const satisfies Readonly<Record<string, Check>>;

const type = oneOf('array', 'boolean', 'integer', 'null', 'number', 'object', 'string');

function listOfTypes(node: SourceNode): string | undefined {
  const items = node.kind === 'list' ? node.items : [];
  if (items.length === 0) return 'must name at least one type';
  return items.map(type).find((problem) => problem !== undefined) ?? names(node);
}

/** Texts, none of them twice. */
function names(node: SourceNode): string | undefined {
  if (node.kind !== 'list') return `must be a list of texts (got ${nameOf(node)})`;
  const seen = new Set<unknown>();
  for (const item of node.items) {
    if (item.kind !== 'scalar' || typeof item.value !== 'string')
      return `must be a list of texts (got ${nameOf(item)} in it)`;
    if (seen.has(item.value)) return `has ${JSON.stringify(item.value)} twice`;
    seen.add(item.value);
  }
  return undefined;
}

/** The check that a text is one of these. */
export function oneOf(...texts: readonly string[]): Check {
  const words = texts.length === 1 ? (texts[0] ?? '') : `one of ${texts.join(', ')}`;
  return kindOf(words, (value) => typeof value === 'string' && texts.includes(value));
}

function kindOf(words: string, isRight: (value: unknown) => boolean): Check {
  return (node) =>
    node.kind === 'scalar' && isRight(node.value) ? undefined : `must be ${words} (got ${nameOf(node)})`;
}

/** Whether it is one with the flag `u`, as JSON Schema recommends, or without, as many write them. */
export function isRegularExpression(text: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return Boolean(new RegExp(text, flags));
    } catch {
      return false;
    }
  });
}

const MAX_LENGTH = 40;

/** A value in a message: short ones as JSON, others by their kind. */
export function nameOf(node: SourceNode): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  const text = JSON.stringify(node.value);
  return text.length <= MAX_LENGTH ? text : 'a long text';
}
