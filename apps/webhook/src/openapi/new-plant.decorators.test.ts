import 'reflect-metadata';

import { Controller, Module, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiHeader, ApiOperation, ApiResponse, SwaggerModule } from '@nestjs/swagger';
import type { AnswerValues } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { documentPartsOf } from '../answers/document-table.js';
import { describeOperation } from './new-plant.decorators.js';

/** What Nest generates for an operation whose decorators state a header and a response beside the answers. */
async function operationOf(answers: AnswerValues): Promise<object | undefined> {
  @Controller()
  class Variant {
    @Put('/a')
    @ApiHeader({ name: 'asserted' })
    @ApiOperation({ summary: 'asserted' })
    @ApiResponse({ status: 500, description: 'asserted' })
    @describeOperation(documentPartsOf(answers))
    receive(): void {}
  }
  @Module({ controllers: [Variant] })
  class VariantModule {}

  const app = await NestFactory.create(VariantModule, new FastifyAdapter(), { preview: true, logger: false });
  const document = SwaggerModule.createDocument(app, {
    openapi: '3.1.0',
    info: { title: 'a', version: '0' },
  });
  await app.close();
  return document.paths['/a']?.put;
}

const { 'event-identity': eventIdentity, 'status-codes': statusCodes } = exampleAnswers;
const answers = { 'event-identity': eventIdentity, 'status-codes': statusCodes };

test('what other decorators state stays, and the gate finds it', async () => {
  expect(await operationOf({ ...answers, 'http-method': 'PUT' })).toMatchObject({
    summary: 'asserted',
    parameters: [{ name: 'webhook-id' }, { name: 'asserted' }],
    responses: { 409: {}, 413: {}, 500: {} },
  });
});

test('while the method is open it states nothing', async () => {
  expect(await operationOf(answers)).toMatchObject({
    summary: 'asserted',
    parameters: [{ name: 'asserted' }],
    responses: { 500: { description: 'asserted' } },
  });
  expect(await operationOf(answers)).not.toHaveProperty('responses.409');
});
