import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Answers } from '@plant-store/contract';

import { AppModule, type Resources } from './app.module.js';
import { createFastifyAdapter, type HttpGuards } from './http/create-fastify-adapter.js';
import { NestLogger } from './logging/nest-logger.js';

/** Builds the application. It neither listens nor dispatches yet. */
export function createApp(
  resources: Resources,
  guards: HttpGuards,
  answers: Answers,
): Promise<NestFastifyApplication> {
  return NestFactory.create<NestFastifyApplication>(
    AppModule.with(() => resources, answers),
    createFastifyAdapter(guards, resources.reception.refusals.unavailable),
    { logger: new NestLogger(resources.logger), bodyParser: false, abortOnError: false },
  );
}

/** Builds the same application to be looked at: nothing in it is constructed, so that it needs no store and no token. */
export function previewApp(answers: Answers): Promise<NestFastifyApplication> {
  const resources = (): never => {
    throw new Error('A preview has no resources.');
  };
  return NestFactory.create<NestFastifyApplication>(
    AppModule.with(resources, answers),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
}
