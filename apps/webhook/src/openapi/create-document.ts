import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Answers, answers, CONTENT_METHODS } from '@plant-store/contract';

import { previewApp } from '../create-app.js';
import { newPlantController } from '../new-plant/new-plant.controller.js';
import { assertsResponses, describeWebhook, UNASKED_OPERATION_ID } from './describe-webhook.js';
import { documentConfig } from './document-config.js';
import type { DocumentParts } from './document-parts.js';
import { documentPartsOf } from './document-parts-of.js';

/**
 * Generates the OpenAPI document from the application's decorators. Nothing is constructed or opened for it, and it
 * is the same whenever it is generated.
 */
export async function createDocument(given: Answers = answers): Promise<Record<string, unknown>> {
  const parts = documentPartsOf(given);
  const app = await previewApp(given);
  const generated = SwaggerModule.createDocument(app, documentConfig(parts), {
    autoTagControllers: false,
    operationIdFactory: () => UNASKED_OPERATION_ID,
  });
  await app.close();
  return tidy(generated, parts, assertsResponses(newPlantController(given), 'receive'));
}

/** Leaves out what Nest asserts unasked, and puts the rest in the order of the OpenAPI specification. */
function tidy(
  generated: OpenAPIObject,
  parts: DocumentParts,
  assertsResponses: boolean,
): Record<string, unknown> {
  const { openapi, info, servers, paths, webhooks = {}, components, security, ...others } = generated;
  const { schemas: asserted, ...otherComponents } = components ?? {};
  // Nest is not shown the schemas of the answers: it rewrites what looks like OpenAPI 3.0 to it.
  const schemas = { ...parts.schemas, ...asserted };
  const methods = parts.method === undefined ? CONTENT_METHODS : [parts.method];
  return {
    openapi,
    info,
    servers,
    paths,
    webhooks: Object.fromEntries(
      Object.entries(webhooks).map(([key, operations]) => [
        key,
        describeWebhook(operations as never, { methods, assertsResponses }),
      ]),
    ),
    components: { ...(Object.keys(schemas).length > 0 && { schemas }), ...otherComponents },
    security,
    ...others,
  };
}
