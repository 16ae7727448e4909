import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { ACCESS_TOKEN } from '../support/messages.js';
import { plantInbox } from '../support/plant-inbox.js';
import type { Environment } from '../support/process.js';
import { inboxOf, preloading, spawnReceiver, startReceiver } from '../support/receiver.js';
import { openSender } from '../support/sender.js';

interface Row {
  readonly name: string;
  /** Sets up the fault in a folder, and returns the settings that lead to it. */
  readonly given: (folder: string) => Environment | Promise<Environment>;
  /** The whole standard error, with FOLDER for the folder. */
  readonly want: string;
  /** @default 1 */
  readonly code?: number;
}

const MISSPELT =
  'HANDLER_CONCURENCY: is not a setting and has no effect; docs/reference/settings.md has their names';

/** An inbox with a file that a receiver didn't write. */
function makeInbox(folder: string, write: (file: string) => void): Environment {
  mkdirSync(inboxOf(folder));
  write(join(inboxOf(folder), 'inbox.sqlite'));
  return {};
}

const rows: readonly Row[] = [
  {
    name: 'settings with several faults',
    given: () => ({
      ACCESS_TOKENS: '',
      PORT: '65536',
      INBOX_URL: 'arbitrary',
      LOG_LEVEL: 'loud',
      REQUEST_TIMEOUT_MS: 'soon',
      HANDLER_CONCURENCY: ACCESS_TOKEN,
    }),
    want: [
      'The configuration is invalid: [CONFIGURATION_INVALID]',
      '  PORT: must be a whole number from 0 to 65535',
      '  INBOX_URL: must be file: and a folder, as in file:./data/inbox, or postgres: with a host and a database, as in postgres://user@db.example/plants',
      '  LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent',
      '  REQUEST_TIMEOUT_MS: must be a whole number from 1 to 2147483647',
      '  ACCESS_TOKENS: set either ACCESS_TOKENS (comma-separated) or ACCESS_TOKENS_FILE (one a line): the receiver does not start without a token',
      `  ${MISSPELT}`,
      '',
    ].join('\n'),
  },
  {
    name: 'a file with lines that are not tokens',
    given: (folder) => {
      const file = join(folder, 'tokens');
      writeFileSync(file, `# comment\n${ACCESS_TOKEN}\n"${ACCESS_TOKEN}"\n`);
      return { ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: file };
    },
    want: 'ACCESS_TOKENS_FILE: the access tokens in FOLDER/tokens cannot be used: line 3 is not an access token (RFC 6750 §2.1, b64token). [ACCESS_TOKENS_UNREADABLE]\n',
  },
  {
    name: 'an inbox that another receiver uses',
    given: async (folder) => {
      await startReceiver({ folder });
      return {};
    },
    want: 'Another receiver uses the inbox in FOLDER/inbox. Stop it, or set INBOX_URL to another folder. [INBOX_IN_USE]\n',
  },
  {
    name: 'an inbox that is damaged',
    given: (folder) => makeInbox(folder, (file) => writeFileSync(file, 'arbitrary'.repeat(1_000))),
    want: 'The inbox in FOLDER/inbox is damaged: file is not a database. Restore a backup, as docs/how-to/back-up.md says under "When the inbox is damaged". [INBOX_DAMAGED]\n',
    // A supervisor can tell that another start is useless.
    code: 65,
  },
  {
    name: 'an inbox of an earlier version',
    given: (folder) =>
      makeInbox(folder, (file) => {
        const database = new DatabaseSync(file);
        database.exec('CREATE TABLE delivery (id INTEGER PRIMARY KEY); PRAGMA user_version = 10');
        database.close();
      }),
    want: 'The inbox in FOLDER/inbox has tables of version 10, which is too old. Run "plant-inbox export" of the version that made them, and "plant-inbox import" of this one into another inbox. [INBOX_UNUSABLE]\n',
  },
];

test.each(rows)('$name: what is wrong and what to do', async ({ given, want, code = 1 }) => {
  const folder = makeFolder();
  const settings = await given(folder);

  const receiver = spawnReceiver({ folder, settings });

  expect(await receiver.exit).toEqual({ code, signal: null });
  const says = receiver.stderr.replaceAll(folder, 'FOLDER');
  expect(says).toBe(want);
  expect(receiver.output).not.toContain(ACCESS_TOKEN);
  expect(receiver.stdout).toBe('');
  expect(receiver.output).not.toMatch(/^ +at |"stack"/m);
});

test.each([40, 60, 90, 511])(
  'at most %d descriptors: exit code 1, and what is wrong and what to do',
  async (maxOpenFiles) => {
    const receiver = spawnReceiver({ maxOpenFiles });

    expect(await receiver.exit).toEqual({ code: 1, signal: null });
    expect(receiver.output).toBe(
      `The process may have only ${maxOpenFiles} files and connections open, and its start needs 512: raise that limit (ulimit -n). [CONFIGURATION_INVALID]\n`,
    );
  },
);

test('a fault at the start ends the process, even if the handler has begun something that does not end', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => server.close());
  const { port } = server.address() as AddressInfo;
  const endless = preloading('data:text/javascript,setInterval(Object,1e6)');

  const receiver = spawnReceiver({ settings: { ...endless, PORT: String(port) } });

  expect(await receiver.exit).toEqual({ code: 1, signal: null });
  const address = `127.0.0.1:${port}`;
  expect(receiver.stderr).toBe(
    `The receiver cannot listen on ${address}: address already in use (${address}). Set HOST and PORT to a free address of this machine. [ADDRESS_UNAVAILABLE]\n`,
  );
});

test('a start says that the handler is paused, and which setting is misspelt', async () => {
  const folder = makeFolder();
  const first = await startReceiver({ folder });
  expect(await plantInbox('pause', '--inbox', first.inbox)).toMatchObject({ code: 0 });
  await openSender(first).send('arbitrary');
  await first.process.stop();

  const second = await startReceiver({ folder, settings: { HANDLER_CONCURENCY: ACCESS_TOKEN } });
  await second.process.stop();

  const warnings = second.process.entries().filter(({ level }) => level === 'warn');
  expect(warnings).toMatchObject([
    { msg: MISSPELT },
    { msg: 'the handler is paused; deliveries wait until it is resumed', waiting: 1 },
  ]);
  expect(first.process.entries().filter(({ level }) => level === 'warn')).toEqual([]);
  expect(second.process.stdout).not.toContain(ACCESS_TOKEN);
});
