import 'reflect-metadata';

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterThisTest, makeFolder } from '@plant-store/test-support';
import type { Logger } from 'pino';

import { openEmbedded } from '../test/open-inbox.js';
import { recordLog } from '../test/record-log.js';
import { composeAnswers, type ComposedAnswers } from './answers/compose-answers.js';
import { createApp, type Resources } from './app.module.js';
import { Counters } from './counters.js';

test('it has one route, whatever the document shows', async () => {
  const composed = composeAnswers({});
  const { app } = await createApp(composed.path, await openResources(composed, recordLog().logger), LIMITS);
  await listen(app);

  const routes = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });

  expect(routes.match(/\/\S*/g)).toEqual([composed.path]);
});

const LIMITS = { REQUEST_TIMEOUT_MS: 10_000, KEEP_ALIVE_TIMEOUT_MS: 1_000, MAX_CONNECTIONS: 100 };

/** What an application needs. It is closed after the test. */
async function openResources(
  { challenges, createPipeline }: ComposedAnswers,
  logger: Logger,
): Promise<Resources> {
  const inbox = await openEmbedded(makeFolder());
  return {
    accessTokens: { tokens: ['arbitrary'] },
    counters: new Counters(),
    inbox,
    logger,
    challenges,
    pipeline: createPipeline({
      MAX_CONTENT_BYTES: 100,
      MAX_CONTENT_BYTES_IN_FLIGHT: 100,
      REQUEST_TIMEOUT_MS: 10_000,
    }),
  };
}

/** Has an application listen until the test ends. Returns where deliveries come. */
async function listen(app: NestFastifyApplication): Promise<string> {
  afterThisTest(() => app.close());
  await app.listen(0, '127.0.0.1');
  return `${await app.getUrl()}/plant/webhook`;
}
