import { EITHER, type Effect, NARROWS, NEITHER, WIDENS } from './effect.js';
import { type IdParts, isScoped, NO_RULE, ruleId, type Scope, type Verb } from './rule-id.js';
import { type EffectOf, EMPTY_MAP, type Rule, RULES } from './rules.js';

/** A kind of change. */
export interface ListedRule {
  readonly id: string;
  /** `required header removed` */
  readonly what: string;
  /** Whom it breaks. */
  readonly breaks: string;
}

const VERBS: readonly Verb[] = ['added', 'removed', 'changed'];
const SCOPES: readonly Scope[] = ['request', 'response', 'definition'];
const PLACES = ['header', 'query', 'path', 'cookie'];

/** Every kind of change that a rule knows, sorted by id, and what no rule knows at the end. */
export function listRules(): readonly ListedRule[] {
  const rules = [...Object.entries(RULES), EMPTY_MAP].flatMap(([key, rule]) => [
    ...idsOf(key, rule, false),
    ...(rule.required === undefined ? [] : idsOf(key, rule.required, true)),
  ]);
  const sorted = rules.sort((one, other) => (one.id < other.id ? -1 : 1));
  const others = SCOPES.flatMap((scope) =>
    VERBS.map((verb) => ({
      id: ruleId(NO_RULE, verb, { scope, isRequired: false, place: '' }),
      what: `anything else ${verb}`,
      breaks: 'unclassified',
    })),
  );
  return [...sorted, ...others];
}

function idsOf(key: string, rule: Rule, isRequired: boolean): ListedRule[] {
  // They have the ids of an operation's parameters.
  if (key === 'path-item.parameters.*') return [];
  const places = key.endsWith('.parameters.*') ? PLACES : [''];
  const scopes = isScoped(key) ? scopesOf(key) : SCOPES.slice(0, 1);
  // A part that both have isn't required as a whole: only the flag of it may change.
  const verbs = isRequired ? VERBS.slice(0, 2) : VERBS;
  return scopes.flatMap((scope) =>
    places.flatMap((place) =>
      verbs.map((verb) => {
        const parts: IdParts = { scope, isRequired, place };
        return {
          id: ruleId(key, verb, parts),
          what: `${rule.subject} ${verb}`,
          breaks: breaks(rule[verb], key, scope),
        };
      }),
    ),
  );
}

function scopesOf(key: string): readonly Scope[] {
  // In a definition it has the id of a response's.
  if (key === 'request-body.content.*') return ['request'];
  if (/^(request-body|parameter|encoding)\./.test(key)) return ['request', 'definition'];
  return key.startsWith('response.') ? ['response', 'definition'] : SCOPES;
}

function breaks(effect: EffectOf, key: string, scope: Scope): string {
  if (scope === 'definition') return effect === NEITHER ? 'nobody' : 'unclassified';
  if (typeof effect === 'function') return 'depends on what changed';
  const isResponse = scope === 'response' || key.startsWith('responses.');
  return wordsOf(effect, isResponse);
}

function wordsOf(effect: Effect, isResponse: boolean): string {
  const [receiver, others] = [
    'the receiver of a webhook',
    'the sender of a webhook, and the client of a path',
  ];
  const [readers, writers] = isResponse ? [others, receiver] : [receiver, others];
  if (effect === NEITHER) return 'nobody';
  if (effect === WIDENS) return readers;
  if (effect === NARROWS) return writers;
  return effect === EITHER ? 'everybody' : 'unclassified';
}
