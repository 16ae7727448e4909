import type { ContentMethod } from '@plant-store/contract';

/** Replaces the operation id that Nest generates, to distinguish it from one that a decorator states. */
export const GENERATED_OPERATION_ID = 'generated';

/** Where `@ApiResponse` leaves its metadata; Nest adds a response of its own where there is none. */
const RESPONSE_METADATA = 'swagger/apiResponse';

/** Where `@ApiOperation` leaves its metadata, which may have responses too. */
const OPERATION_METADATA = 'swagger/apiOperation';

type Operation = Record<string, unknown>;

/**
 * Reduces what Nest generates for a webhook, an operation for every method, to what the decorators state. The summary
 * and the description belong to the Path Item. While the question `http-method` is open there is no operation, unless a
 * decorator states something that only an operation can have: then it stays, and the gate reports it.
 */
export function describeWebhook(
  operations: Readonly<Record<string, Operation>>,
  { methods, assertsResponses }: { methods: readonly ContentMethod[]; assertsResponses: boolean },
): Record<string, unknown> {
  const pathItem: Record<string, unknown> = {};
  for (const method of methods) {
    const { summary, description, ...asserted } = withoutDefaults(
      operations[method.toLowerCase()] ?? {},
      assertsResponses,
    );
    Object.assign(
      pathItem,
      summary !== undefined && { summary },
      description !== undefined && { description },
    );
    const isDecided = methods.length === 1;
    if (isDecided || Object.keys(asserted).length > 0) pathItem[method.toLowerCase()] = asserted;
  }
  return pathItem;
}

/** Whether a decorator of the controller or of its method states a response. */
export function assertsResponses<Controller>(
  controller: { readonly prototype: Controller },
  method: keyof Controller,
): boolean {
  const decorated = controller.prototype[method] as object;
  const operation = (Reflect.getMetadata(OPERATION_METADATA, decorated) ?? {}) as Operation;
  return (
    operation['responses'] !== undefined ||
    [controller, decorated].some((target) => Reflect.hasMetadata(RESPONSE_METADATA, target))
  );
}

function withoutDefaults(operation: Operation, assertsResponses: boolean): Operation {
  return Object.fromEntries(
    Object.entries(operation).filter(([key, value]) => {
      if (key === 'operationId') return !String(value).startsWith(GENERATED_OPERATION_ID);
      if (key === 'parameters') return (value as unknown[]).length > 0;
      if (key === 'responses') return assertsResponses;
      return value !== '';
    }),
  );
}
