import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { ContentMethod, JsonSchema } from '@plant-store/contract';

/** Content by media type. */
export type ContentParts = Readonly<
  Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>
>;

/** Responses by status. */
export type ResponseParts = Readonly<
  Record<string, { readonly description?: string; readonly content?: ContentParts }>
>;

/** What the answers state about the operation. What is open is missing. */
export interface OperationParts {
  /** While it is missing, the document has no operation. */
  readonly method?: ContentMethod;
  /** The schema of each header parameter by name. All of them are required. */
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  readonly requestBody?: {
    readonly description?: string;
    readonly content: ContentParts;
    readonly required?: true;
  };
  readonly responses?: ResponseParts;
}

/**
 * States in the document what the answers say about an operation; nothing while its method is open. Write it below
 * `@ApiOperation`, which states the rest.
 */
export function describeOperation({
  method,
  headers = {},
  requestBody,
  responses = {},
}: OperationParts): MethodDecorator {
  if (method === undefined) return applyDecorators();
  return applyDecorators(
    ...Object.entries(headers).map(([name, schema]) => ApiHeader({ name, required: true, schema })),
    ...(requestBody === undefined ? [] : [ApiOperation({ requestBody })]),
    ...Object.entries(responses).map(([status, response]) =>
      ApiResponse({ ...response, status: Number(status) }),
    ),
  );
}
