import { type AnswerValues, facts } from '@plant-store/contract';

import type { DocumentParts } from './document-parts.js';
import { type DocumentQuestion, documentTable, partsOf } from './document-table.js';

/** JSON Pointers (RFC 6901), by question. */
export type Places = { readonly [Id in DocumentQuestion]?: readonly string[] };

/**
 * Where each fact that an answer shows is in the document. A parameter is named by its place and name instead of its
 * index: `/parameters/header webhook-id`.
 */
export function placesOf(answers: AnswerValues): Places {
  const method = answers['http-method']?.toLowerCase();
  const operation = method && pointerTo('webhooks', facts.DELIVERY_PATH, method);
  const ids = (Object.keys(documentTable) as DocumentQuestion[]).filter((id) => answers[id] !== undefined);
  return Object.fromEntries(ids.map((id) => [id, placesIn(partsOf(id, answers), operation)]));
}

function placesIn(parts: DocumentParts, operation: string | undefined): string[] {
  const {
    method,
    headers = {},
    requestBody,
    responses = {},
    serverVariables,
    securityScheme,
    schemas,
  } = parts;
  return [
    ...leavesOf(serverVariables, pointerTo('servers', '0', 'variables')),
    ...leavesOf(schemas, pointerTo('components', 'schemas')),
    ...leavesOf(securityScheme, pointerTo('components', 'securitySchemes', facts.SECURITY_SCHEME_NAME)),
    ...(operation === undefined
      ? []
      : [
          ...(method === undefined ? [] : [operation]),
          ...Object.entries(headers).flatMap(([name, schema]) =>
            leavesOf(
              { name, in: 'header', required: true, schema },
              operation + pointerTo('parameters', `header ${name.toLowerCase()}`),
            ),
          ),
          ...leavesOf(requestBody, operation + pointerTo('requestBody')),
          ...Object.entries(responses).flatMap(([status, response]) =>
            leavesOf(response, operation + pointerTo('responses', status)),
          ),
        ]),
  ];
}

/** The pointers to what has no members. */
function leavesOf(value: unknown, pointer: string): string[] {
  if (value === undefined) return [];
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return members.length === 0
    ? [pointer]
    : members.flatMap(([key, member]) => leavesOf(member, pointer + pointerTo(key)));
}

function pointerTo(...steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
