import type { AnswerSchema, ExecutableAnswers, ExecutableId } from '@plant-store/contract';

/** What the answer to a question is: a value, or a schema, which is shown and compared as its JSON Schema. */
type KindOf<Answer> = Answer extends AnswerSchema ? 'schema' : 'value';

/** The questions whose answer software carries out. Any other is answered in words. */
export const ANSWER_KINDS: { readonly [Id in ExecutableId]: KindOf<ExecutableAnswers[Id]> } = {
  'authentication-realm': 'value',
  'base-address': 'value',
  'error-codes': 'value',
  'error-payloads': 'value',
  'event-identity': 'value',
  'event-payload-fields': 'schema',
  'http-method': 'value',
  'media-type': 'value',
  payload: 'value',
  'plant-fields': 'schema',
  'rate-limits': 'value',
  'receiver-response': 'value',
  'request-versioning': 'value',
  retry: 'value',
  signing: 'value',
  'size-limits': 'value',
  'status-codes': 'value',
  'time-outs': 'value',
  'token-format': 'value',
};
