import type { Unit } from './unit.js';

/** What happened to a part: one document has it, or both have it and differ in it. */
export type Verb = 'added' | 'removed' | 'changed';

/** Where a part is said: of a request, of a response, or in a definition that nothing uses. */
export type Scope = 'request' | 'response' | 'definition';

/** What is in an id beside the rule and the verb. */
export interface IdParts {
  readonly scope: Scope;
  /** Whether a part came or went that is required. */
  readonly isRequired: boolean;
  /** Where a parameter is: `header`, `query`, `path` or `cookie`. */
  readonly place: string;
}

/** Names of rules that their key doesn't give. */
const NAMES: Readonly<Record<string, string>> = {
  'openapi.webhooks.*': 'webhook',
  'openapi.security': 'security',
  'paths.*': 'path',
  'operation.requestBody': 'request-body',
  'operation.responses': 'responses',
  'responses.*': 'response',
  'components.securitySchemes.*': 'security-scheme',
  'request-body.required': 'request-body-obligation',
  'parameter.required': 'parameter-obligation',
  'header.required': 'header-obligation',
  'request-body.content.*': 'media-type',
  'response.content.*': 'media-type',
  'response.headers.*': 'header',
  'encoding.headers.*': 'encoding-header',
  'schema.properties.*': 'property',
  'schema.prefixItems.*': 'prefix-item',
};

/** What no rule knows. */
export const NO_RULE = 'schema.other';

/**
 * The id of a kind of change, as `request-header-required-removed`. It stays the same from release to release.
 *
 * @param key of the rule
 */
export function ruleId(key: string, verb: Verb, { scope, isRequired, place }: IdParts): string {
  const required = isRequired ? 'required-' : '';
  if (key.endsWith('.parameters.*'))
    return `request-${place}${place === 'header' ? '' : '-parameter'}-${required}${verb}`;
  return `${isScoped(key) ? `${scope}-` : ''}${nameOf(key)}-${required}${verb}`;
}

/** Whether the rule of this key means something else in a request than in a response. */
export function isScoped(key: string): boolean {
  if (key === 'request-body.required') return false;
  return /^(schema|parameter|header|request-body|media-type|encoding|response)\.|^\*\.(schema|style|explode|allowReserved)$/.test(
    key,
  );
}

/** What the id of a unit has beside the rule and the verb. */
export function idPartsOf({ first, second, isResponse, modifiers }: Unit): IdParts {
  const fields = (second ?? first)?.node.children;
  const isOneSided = first === undefined || second === undefined;
  return {
    scope: modifiers.includes('defined') ? 'definition' : isResponse ? 'response' : 'request',
    isRequired: isOneSided && fields?.get('required')?.node.text === 'true',
    place: fields?.get('in')?.node.text.replaceAll('"', '') ?? 'unknown',
  };
}

export function verbOf({ first, second }: Unit): Verb {
  return first === undefined ? 'added' : second === undefined ? 'removed' : 'changed';
}

function nameOf(key: string): string {
  if (Object.hasOwn(NAMES, key)) return NAMES[key] ?? key;
  const [object = '', field = ''] = key.split('.');
  const name = field.replace('$', '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (object === 'schema' || object === '*') return name;
  return `${object === 'path-item' ? 'operation' : object}-${name}`;
}
