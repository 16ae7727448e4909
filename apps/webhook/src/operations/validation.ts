import type { FastifySchema, FastifySchemaCompiler, RouteShorthandOptions } from 'fastify';
import { z } from 'zod';

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
    return { error: faultOfZod(httpPart === 'querystring' ? 'INVALID_QUERY' : 'INVALID_CONTENT', error) };
  };

type Code = 'INVALID_QUERY' | 'INVALID_CONTENT';

/**
 * Parses what was sent.
 *
 * @throws RequestFault with this code, if `parse` throws for what isn't valid
 */
export function parsed<Result>(code: Code, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof z.ZodError) throw faultOfZod(code, error);
    if (error instanceof SyntaxError)
      throw new RequestFault(code, 'The content has a filter that is not JSON.');
    throw error;
  }
}

function faultOfZod(code: Code, { issues }: z.ZodError): RequestFault {
  const whole = code === 'INVALID_QUERY' ? 'The query' : 'The content';
  return new RequestFault(code, issues.map((issue) => describe(issue, whole)).join(' '));
}

/** @param whole what is wrong if it is no part of it */
function describe(issue: z.core.$ZodIssue, whole: string): string {
  const nameOf = (path: readonly PropertyKey[]): string => path.join('.') || whole;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${nameOf([...issue.path, key])} is unknown here.`).join(' ');
  return `${nameOf(issue.path)} ${issue.input === undefined ? 'is missing' : issue.message}.`;
}
