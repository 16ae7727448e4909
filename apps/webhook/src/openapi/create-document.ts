import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CONTENT_METHODS, facts } from '@plant-store/contract';

import type { DocumentParts } from '../answers/document-parts.js';
import { AppModule } from '../app.module.js';
import {
  assertsResponses,
  describeWebhook,
  GENERATED_OPERATION_ID,
  silentDecorators,
} from './describe-webhook.js';
import { decoratedController } from './new-plant.decorators.js';

/**
 * Generates the OpenAPI document from the application's decorators. Nothing is constructed or opened for it, and it
 * is the same whenever it is generated.
 *
 * @param composed the parts of the composed answers that show in the document
 */
export async function createDocument({
  path,
  document,
}: {
  readonly path: string;
  readonly document: DocumentParts;
}): Promise<Record<string, unknown>> {
  const controller = decoratedController(path, document);
  const app = await previewApp(controller);
  const generated = generateDocument(app, document);
  await app.close();
  return tidy(generated, document, assertsResponses(controller, 'receive'));
}

/** Creates the application without constructing anything in it, so it needs no inbox and no token. */
function previewApp(controller: Type): Promise<INestApplication> {
  const resources = (): never => {
    throw new Error('A preview has no resources.');
  };
  return NestFactory.create(AppModule.with(controller, resources), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
}

/** The decorators can't become a document. The message says what to do. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly code = 'DOCUMENT_INVALID';
}

/**
 * What Nest makes of the decorators of an application.
 *
 * @throws DocumentError if Nest can't read the decorators, or would leave some of them out
 */
export function generateDocument(app: INestApplication, document: DocumentParts): OpenAPIObject {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [
    ...module.controllers.values(),
  ]);
  const silent = controllers.flatMap(({ metatype }) =>
    typeof metatype === 'function' ? silentDecorators(metatype) : [],
  );
  if (silent.length > 0)
    throw new DocumentError(
      `${silent.join(', ')}: the document doesn't show it. The media type is the answer to media-type. Remove the decorator`,
    );
  try {
    return SwaggerModule.createDocument(app, documentConfig(document), {
      autoTagControllers: false,
      operationIdFactory: () => GENERATED_OPERATION_ID,
    });
  } catch (error) {
    const { message } = error as Error;
    throw new DocumentError(`Nest can't read the decorators: ${message}`, { cause: error });
  }
}

/** The text of a document, as it is committed. */
export function formatDocument(document: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/**
 * What the document states beside the webhook. It is a plain object, because Nest's builder adds an empty description,
 * an empty contact and a token format.
 */
function documentConfig({ serverVariables, securityScheme }: DocumentParts): Omit<OpenAPIObject, 'paths'> {
  return {
    openapi: facts.OPENAPI_VERSION,
    info: { title: facts.TITLE, license: { name: facts.LICENSE_NAME }, version: facts.VERSION },
    servers: [{ url: facts.BASE_ADDRESS, ...(serverVariables && { variables: { ...serverVariables } }) }],
    components: {
      securitySchemes: {
        [facts.SECURITY_SCHEME_NAME]: {
          type: facts.SECURITY_SCHEME_TYPE,
          scheme: facts.AUTHENTICATION_SCHEME,
          ...securityScheme,
        },
      },
    },
    security: [{ [facts.SECURITY_SCHEME_NAME]: [] }],
  };
}

/** Removes what Nest adds by itself, and puts the rest in the order of the OpenAPI specification. */
function tidy(
  generated: OpenAPIObject,
  parts: DocumentParts,
  assertsResponses: boolean,
): Record<string, unknown> {
  const { openapi, info, servers, paths, webhooks = {}, components, security, ...others } = generated;
  const { schemas: asserted, ...otherComponents } = components ?? {};
  // Nest doesn't get the schemas of the answers, because it rewrites what looks like OpenAPI 3.0.
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
