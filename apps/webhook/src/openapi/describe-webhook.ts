import type { ContentMethod } from '@plant-store/contract';

/** Stands for the operation id that Nest makes up, so that it can be told from one that a decorator gives. */
export const UNASKED_OPERATION_ID = 'unasked';

/** Where `@ApiResponse` leaves its metadata; Nest adds a response of its own where there is none. */
const RESPONSE_METADATA = 'swagger/apiResponse';

/** Where `@ApiOperation` leaves its metadata, which may hold responses too. */
const OPERATION_METADATA = 'swagger/apiOperation';

type Operation = Record<string, unknown>;

/**
 * Turns what Nest generates for a webhook, an operation for every method there is, into what the decorators
 * say. The summary and the description belong to the Path Item. While the method is open there is no operation
 * (question `http-method`), unless a decorator asserts something that only an operation can hold: then it stays, for
 * the gate to find.
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

/** Whether a decorator of the controller or of its method asserts a response. */
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
      if (key === 'operationId') return !String(value).startsWith(UNASKED_OPERATION_ID);
      if (key === 'parameters') return (value as unknown[]).length > 0;
      if (key === 'responses') return assertsResponses;
      return value !== '';
    }),
  );
}
