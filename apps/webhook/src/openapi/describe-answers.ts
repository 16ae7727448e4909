import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Answers } from '@plant-store/contract';

import { documentPartsOf } from './document-parts-of.js';

/**
 * Asserts of an operation what the answers show of it: nothing while its method is open. It stands below
 * `@ApiOperation`, which says the rest.
 */
export function describeAnswers(answers: Answers): MethodDecorator {
  const { method, headers = {}, requestBody, responses = {} } = documentPartsOf(answers);
  if (method === undefined) return applyDecorators();
  return applyDecorators(
    ...Object.entries(headers).map(([name, schema]) => ApiHeader({ name, required: true, schema })),
    ...(requestBody === undefined ? [] : [ApiOperation({ requestBody })]),
    ...Object.entries(responses).map(([status, response]) =>
      ApiResponse({ ...response, status: Number(status) }),
    ),
  );
}
