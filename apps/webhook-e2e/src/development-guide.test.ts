import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { SERVE } from '../support/development.js';

const run = promisify(execFile);

test.each([
  { given: {}, want: 'debug' },
  { given: { LOG_LEVEL: 'trace' }, want: 'trace' },
  { given: { LOG_LEVEL: 'silent' }, want: 'info' },
])('the lines are printed at any log level: $given', async ({ given, want }) => {
  const { developmentEnvironment } = (await import(join(SERVE, 'environment.mjs'))) as {
    developmentEnvironment: (given: object, answers: object) => object;
  };

  // Only the log says that the receiver listens.
  expect(developmentEnvironment({ ACCESS_TOKENS: 'one', ...given }, {})).toMatchObject({ LOG_LEVEL: want });
});

describe('the printed line that sends', () => {
  const key = { prefix: '', encoding: 'base64' };

  test.each([
    {
      name: 'nothing answered',
      want: [
        /^echo /,
        / send - --base-url http:\/\/127\.0\.0\.1:81 --method POST --content-type text\/plain/,
      ],
    },
    { name: 'all addresses', url: 'http://0.0.0.0:81/', want: [/ --base-url http:\/\/127\.0\.0\.1:81 /] },
    { name: 'all addresses of IPv6', url: 'http://[::]:81/', want: [/ --base-url 'http:\/\/\[::1\]:81' /] },
    {
      name: 'a token file with a space',
      given: { ACCESS_TOKENS_FILE: 'my tokens' },
      want: [/ 'my tokens'$/],
    },
    {
      name: 'tokens in a variable',
      given: { ACCESS_TOKENS: 'one' },
      want: [/^# Export ACCESS_TOKEN first/m, /text\/plain$/],
    },
    {
      name: 'method, media type, plant and signing answered',
      answers: { 'http-method': 'PUT', 'media-type': 'a/b', 'plant-fields': {}, signing: { key } },
      want: [
        /^# Write a plant to plant\.json first/,
        /send plant\.json --base-url \S+ --access-token-file tokens --signing-key-file data\/signing-key$/,
      ],
    },
    {
      name: 'signing answered, with keys in a variable',
      given: { ACCESS_TOKENS_FILE: 'tokens', SIGNING_KEYS: 'one' },
      answers: { signing: { key } },
      want: [/^# Export PLANT_STORE_SIGNING_KEY first/m, /--access-token-file tokens$/],
    },
  ])(
    '$name',
    async ({
      url = 'http://127.0.0.1:81/',
      given = { ACCESS_TOKENS_FILE: 'tokens' },
      answers = {},
      want,
    }) => {
      const { guide } = await importGuide();

      const printed = guide({ url, operations: '', inbox: '/i' }, given, { environment: given, answers });

      const [, send = ''] = /in this folder.*:\n\n([^]*?)\n\nTo list/.exec(printed) ?? [];
      for (const pattern of want) expect(send.replaceAll(/^ +/gm, '')).toMatch(pattern);
      await run('/bin/sh', ['-n', '-c', send]);
    },
  );
});

test.each([
  { name: 'the default inbox', given: {}, want: ['npx plant-inbox list', 'npx plant-inbox show 1'] },
  {
    name: 'a folder with a space',
    given: { INBOX_URL: 'file:./my inbox' },
    want: [
      "npx plant-inbox list --inbox 'file:./my inbox'",
      "npx plant-inbox show 1 --inbox 'file:./my inbox'",
    ],
  },
  {
    name: 'a database, whose password is not printed',
    given: { INBOX_URL: 'postgres://user:secret@db.example/plants' },
    want: [
      '# Export INBOX_URL first: the one with which you ran npm start.',
      'npx plant-inbox list',
      'npx plant-inbox show 1',
    ],
  },
])('the printed lines that look at deliveries: $name', async ({ given, want }) => {
  const { guide } = await importGuide();

  const printed = guide({ url: 'http://127.0.0.1:81/', operations: '', inbox: '' }, given, {
    environment: given,
    answers: {},
  });

  const [, look = ''] = /by its ID:\n\n([^]*?)\n\nA change/.exec(printed) ?? [];
  expect(look.split('\n').map((line) => line.trim())).toEqual(want);
  await run('/bin/sh', ['-n', '-c', look]);
});

function importGuide(): Promise<{
  guide: (listening: object, given: object, running: object) => string;
}> {
  return import(join(SERVE, 'guide.mjs')) as ReturnType<typeof importGuide>;
}
