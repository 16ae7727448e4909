import { applyDecorators, type Type } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiWebhook } from '@nestjs/swagger';
import { facts } from '@plant-store/contract';

import type { OperationParts } from '../answers/document-parts.js';
import { newPlantController, type NewPlantReceiver } from '../delivery/new-plant.controller.js';

/**
 * The controller of the application, with the decorators that only the document needs. They are here, so that a
 * receiver doesn't load `@nestjs/swagger`, a quarter of its modules.
 *
 * @param operation what the answers state about the operation
 */
export function decoratedController(path: string, operation: OperationParts): Type<NewPlantReceiver> {
  const controller = newPlantController(path);
  const { prototype } = controller as { prototype: NewPlantReceiver };
  Reflect.decorate(
    [
      ApiWebhook(facts.DELIVERY_PATH),
      ApiOperation({ summary: facts.WEBHOOK_NAME, description: facts.WEBHOOK_DESCRIPTION }),
      describeOperation(operation),
    ],
    prototype,
    'receive' satisfies keyof NewPlantReceiver,
    Object.getOwnPropertyDescriptor(prototype, 'receive'),
  );
  return controller;
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
