import 'reflect-metadata';

import { All, Controller, Delete, Get, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  ApiBody,
  ApiCallbacks,
  ApiConsumes,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  ApiTags,
  ApiWebhook,
  DocumentBuilder,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { CONTENT_METHODS, type ContentMethod } from '@plant-store/contract';

import { DocumentError, generateDocument } from './create-document.js';
import { assertsResponses, describeWebhook } from './describe-webhook.js';

const OPEN = CONTENT_METHODS;
const ANSWERED: readonly ContentMethod[] = ['PUT'];

describe('a controller that states', () => {
  /** The webhook of a controller, generated like that of the application. */
  async function webhookOf<Asserting extends { receive: () => void }>(
    controller: Type<Asserting>,
    methods: readonly ContentMethod[],
  ): Promise<unknown> {
    @Module({ controllers: [controller] })
    class VariantModule {}

    const app = await NestFactory.create(VariantModule, new FastifyAdapter(), {
      preview: true,
      logger: false,
      abortOnError: false,
    });
    const document = generateDocument(app, {}) as OpenAPIObject & { webhooks: Record<string, never> };
    await app.close();
    return describeWebhook(document.webhooks['/a'] as never, {
      methods,
      assertsResponses: assertsResponses(controller, 'receive'),
    });
  }

  const decorate = (
    onController: readonly ClassDecorator[],
    onMethod: readonly MethodDecorator[],
  ): Type<{ receive: () => void }> => {
    class Variant {
      receive(): void {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Variant.prototype, 'receive')!;
    for (const decorator of [All('/a'), ApiWebhook('/a'), ...onMethod]) {
      decorator(Variant.prototype, 'receive', descriptor);
    }
    for (const decorator of [Controller(), ...onController]) decorator(Variant);
    return Variant;
  };

  test.each<{
    name: string;
    onController?: ClassDecorator[];
    onMethod?: MethodDecorator[];
    want: Record<string, unknown>;
  }>([
    { name: 'nothing', want: {} },
    {
      name: 'a summary and a description',
      onMethod: [ApiOperation({ summary: 'a', description: 'b' })],
      want: { summary: 'a', description: 'b' },
    },
    {
      name: 'a response',
      onMethod: [ApiResponse({ status: 204, description: 'b' })],
      want: { put: { responses: { 204: { description: 'b' } } } },
    },
    {
      name: 'a response without a description',
      onMethod: [ApiResponse({ status: 200 })],
      want: { put: { responses: { 200: { description: '' } } } },
    },
    {
      name: 'a response on the controller',
      onController: [ApiResponse({ status: 500, description: 'b' })],
      want: { put: { responses: expect.objectContaining({ 500: { description: 'b' } }) } },
    },
    {
      name: 'a response in its operation',
      onMethod: [ApiOperation({ responses: { 200: { description: 'b' } } })],
      want: { put: { responses: { 200: { description: 'b' } } } },
    },
    {
      name: 'an operation id',
      onMethod: [ApiOperation({ operationId: 'generatedPlant' })],
      want: { put: { operationId: 'generatedPlant' } },
    },
    {
      name: 'deprecated: false, which is no empty text',
      onMethod: [ApiOperation({ summary: '', deprecated: false })],
      want: { put: { deprecated: false } },
    },
    { name: 'a tag', onMethod: [ApiTags('b')], want: { put: { tags: ['b'] } } },
    { name: 'security', onMethod: [ApiSecurity('b')], want: { put: { security: [{ b: [] }] } } },
    {
      name: 'a header',
      onMethod: [ApiHeader({ name: 'b', required: true })],
      want: {
        put: { parameters: [{ name: 'b', in: 'header', required: true, schema: { type: 'string' } }] },
      },
    },
    {
      name: 'content',
      onMethod: [ApiBody({ schema: { type: 'string' } })],
      want: { put: { requestBody: expect.objectContaining({ content: expect.anything() }) } },
    },
  ])('$name shows it', async ({ onController = [], onMethod = [], want }) => {
    const { summary, description, put } = want;
    const variant = decorate(onController, onMethod);

    expect(await webhookOf(variant, ANSWERED)).toEqual({
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
      put: put ?? {},
    });
    const open = put === undefined ? {} : { post: put, put, patch: put };
    expect(await webhookOf(variant, OPEN)).toEqual({
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
      ...open,
    });
  });

  test.each([
    ['GET', Get],
    ['DELETE', Delete],
  ])('%s on the key of the webhook is shown, so that the gate reports it', async (method, Other) => {
    class Variant {
      receive(): void {}
      other(): void {}
    }
    const on = (name: 'receive' | 'other', ...decorators: MethodDecorator[]) => {
      const descriptor = Object.getOwnPropertyDescriptor(Variant.prototype, name)!;
      for (const decorator of decorators) decorator(Variant.prototype, name, descriptor);
    };
    on('receive', All('/a'), ApiWebhook('/a'), ApiOperation({ summary: 'a' }));
    on('other', Other('/b'), ApiWebhook('/a'));
    Controller()(Variant);

    expect(await webhookOf(Variant, OPEN)).toEqual({ summary: 'a', [method.toLowerCase()]: {} });
    expect(await webhookOf(Variant, ANSWERED)).toEqual({
      summary: 'a',
      [method.toLowerCase()]: {},
      put: {},
    });
  });

  test('a response for the whole application shows', async () => {
    const storage = new DocumentBuilder().addGlobalResponse({ status: 500, description: '' });
    try {
      expect(await webhookOf(decorate([], []), ANSWERED)).toMatchObject({
        put: { responses: { 500: { description: '' } } },
      });
    } finally {
      storage.addGlobalResponse();
    }
  });

  test.each<[string, MethodDecorator, string]>([
    ['@ApiConsumes, which would show nothing', ApiConsumes('text/plain'), '@ApiConsumes of Variant.receive'],
    [
      '@ApiCallbacks without a body, on which Nest breaks',
      ApiCallbacks({
        name: 'b',
        callbackUrl: 'c',
        method: 'post',
        expectedResponse: { status: 200 },
      } as never),
      "Nest can't read the decorators: ",
    ],
  ])('%s is refused', async (_name, decorator, message) => {
    const refused = webhookOf(decorate([], [decorator]), OPEN);
    await expect(refused).rejects.toThrow(DocumentError);
    await expect(refused).rejects.toThrow(message);
  });
});
