import 'reflect-metadata';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { recordLog } from '../test/record-log.js';
import { composeAnswers } from './answers/compose-answers.js';
import { createApp, previewApp } from './app.module.js';
import { AccessTokens } from './authentication/access-tokens.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { openSqliteInbox } from './inbox/sqlite-inbox.js';

test.each([
  { scenario: 'everything open', answers: {}, taken: ['POST', 'PUT', 'PATCH'], allow: 'POST, PUT, PATCH' },
  {
    scenario: 'the method answered',
    answers: { 'http-method': 'PUT' } as const,
    taken: ['PUT'],
    allow: 'PUT',
  },
])('with $scenario it takes $taken', async ({ answers, taken, allow }) => {
  const inbox = openSqliteInbox(makeFolder());
  const log = recordLog();
  const composed = composeAnswers(answers);
  const app = await createApp(
    composed,
    {
      accessTokens: new AccessTokens(['arbitrary']),
      inbox,
      logger: log.logger,
      challenges: composed.challenges,
      pipeline: composed.createPipeline({
        MAX_CONTENT_BYTES: 100,
        MAX_CONTENT_BYTES_IN_FLIGHT: 100,
        REQUEST_TIMEOUT_MS: 10_000,
      }),
      dispatcherLimits: { concurrency: 1, timeout: 1_000, maxAttempts: 1, backoff: 1, maxBackoff: 1 },
    },
    { requestTimeout: 10_000, keepAliveTimeout: 1_000, maxConnections: 100 },
  );
  afterThisTest(async () => {
    await app.close();
    await inbox.close();
  });
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}/plant/webhook`;

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await fetch(url, {
      method,
      headers: { authorization: 'Bearer arbitrary' },
      body: method,
    });
    const want = taken.includes(method) ? [204, null] : [405, allow];
    expect([method, response.status, response.headers.get('allow')]).toEqual([method, ...want]);
  }
  await app.get(Dispatcher).stop(new AbortController().signal);
  const handled = log.lines.filter(({ msg }) => msg === 'a new plant was added to the store');
  expect(handled.map(({ method }) => method)).toEqual(taken);
  expect(await inbox.counts()).toEqual({ waiting: 0, parked: 0 });
});

test('a preview constructs nothing', async () => {
  const app = await previewApp(composeAnswers({}));

  await expect(app.close()).resolves.toBeUndefined();
});
