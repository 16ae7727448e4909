import type { FastifySchema, FastifySchemaCompiler, RouteShorthandOptions } from 'fastify';
import type { z } from 'zod';

import { NOTHING } from './parameters.js';
import { RequestFault } from './request-fault.js';

/** A route that only reads. @param query its schema; by default it has no parameters */
export const reading = (query: z.ZodType = NOTHING): RouteShorthandOptions => ({
  schema: { querystring: query },
  validatorCompiler,
});

/** A route that changes something. @param content the schema of its content */
export const changing = (content: z.ZodType): RouteShorthandOptions => ({
  schema: { querystring: NOTHING, body: content },
  validatorCompiler,
});

const validatorCompiler: FastifySchemaCompiler<FastifySchema> =
  ({ schema, httpPart }) =>
  (sent: unknown) => {
    const { success, data, error } = (schema as z.ZodType).safeParse(sent, { reportInput: true });
    if (success) return { value: data };
    const [code, whole] =
      httpPart === 'querystring'
        ? (['INVALID_QUERY', 'The query'] as const)
        : (['INVALID_CONTENT', 'The content'] as const);
    return { error: new RequestFault(code, error.issues.map((issue) => describe(issue, whole)).join(' ')) };
  };

/** @param whole what is wrong if it is no part of it */
function describe(issue: z.core.$ZodIssue, whole: string): string {
  const nameOf = (path: readonly PropertyKey[]): string => path.join('.') || whole;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${nameOf([...issue.path, key])} is unknown here.`).join(' ');
  return `${nameOf(issue.path)} ${issue.input === undefined ? 'is missing' : issue.message}.`;
}
