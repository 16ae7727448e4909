import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Answers, answers } from '@plant-store/contract';

import { previewApp } from '../create-app.js';
import { acceptedMethods } from '../new-plant/accepted-methods.js';
import { newPlantController } from '../new-plant/new-plant.controller.js';
import { assertsResponses, describeWebhook, UNASKED_OPERATION_ID } from './describe-webhook.js';
import { documentConfig } from './document-config.js';

/**
 * Generates the OpenAPI document from the application's decorators. Nothing is constructed or opened for it, and it
 * is the same whenever it is generated.
 */
export async function createDocument(given: Answers = answers): Promise<Record<string, unknown>> {
  const app = await previewApp(given);
  const generated = SwaggerModule.createDocument(app, documentConfig, {
    autoTagControllers: false,
    operationIdFactory: () => UNASKED_OPERATION_ID,
  });
  await app.close();
  return tidy(generated, given);
}

/** Leaves out what Nest asserts unasked, and puts the rest in the order of the OpenAPI specification. */
function tidy(generated: OpenAPIObject, given: Answers): Record<string, unknown> {
  const { openapi, info, servers, paths, webhooks = {}, components, security, ...others } = generated;
  const { schemas = {}, ...otherComponents } = components ?? {};
  const options = {
    methods: acceptedMethods(given),
    assertsResponses: assertsResponses(newPlantController(given), 'receive'),
  };
  return {
    openapi,
    info,
    servers,
    paths,
    webhooks: Object.fromEntries(
      Object.entries(webhooks).map(([key, operations]) => [
        key,
        describeWebhook(operations as never, options),
      ]),
    ),
    components: { ...(Object.keys(schemas).length > 0 && { schemas }), ...otherComponents },
    security,
    ...others,
  };
}
