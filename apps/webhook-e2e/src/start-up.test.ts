import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { ACCESS_TOKEN } from '../support/messages.js';
import { plantInbox } from '../support/plant-inbox.js';
import type { Environment } from '../support/process.js';
import { everythingOpen, inboxOf, spawnReceiver, startReceiver } from '../support/receiver.js';
import { openSender } from '../support/sender.js';

interface Row {
  readonly name: string;
  /** Sets up the fault in a folder, and returns the settings that lead to it. */
  readonly given: (folder: string) => Environment | Promise<Environment>;
  /** The whole standard error. */
  readonly want: (folder: string, settings: Environment) => string;
  /** Number of lines in the log. */
  readonly logs?: number;
}

const TOKEN_MISSING =
  '  ACCESS_TOKENS: set either ACCESS_TOKENS (comma-separated) or ACCESS_TOKENS_FILE (one a line): the receiver does not start without a token';

const configuration = (...faults: readonly string[]): string =>
  ['The configuration is invalid: [CONFIGURATION_INVALID]', ...faults, ''].join('\n');

const MISSPELT = 'HANDLER_CONCURENCY: is not a setting and has no effect; did you mean HANDLER_CONCURRENCY?';

const fixed = (text: string) => (): string => text;

const settings: readonly Row[] = [
  { name: 'no token', given: () => ({ ACCESS_TOKENS: '' }), want: fixed(configuration(TOKEN_MISSING)) },
  {
    name: 'tokens in two places',
    given: (folder) => ({ ACCESS_TOKENS_FILE: join(folder, 'tokens') }),
    want: fixed(configuration(TOKEN_MISSING)),
  },
  {
    name: 'an invalid token',
    given: () => ({ ACCESS_TOKENS: `${ACCESS_TOKEN}, ${ACCESS_TOKEN} ${ACCESS_TOKEN}` }),
    want: fixed(
      configuration(
        '  ACCESS_TOKENS: must be access tokens separated by commas (letters, digits, - . _ ~ + / and = at the end)',
      ),
    ),
  },
  {
    name: 'several faults at once',
    given: () => ({
      ACCESS_TOKENS: '',
      PORT: '65536',
      INBOX_URL: 'arbitrary',
      LOG_LEVEL: 'loud',
      MAX_CONTENT_BYTES: '0',
      REQUEST_TIMEOUT_MS: 'soon',
      HANDLER_CONCURRENCY: '1.5',
    }),
    want: fixed(
      configuration(
        '  PORT: must be a whole number from 0 to 65535',
        '  INBOX_URL: must be file: and a folder, as in file:./data/inbox, or postgres: with a host and a database, as in postgres://user@db.example/plants',
        '  LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent',
        '  MAX_CONTENT_BYTES: must be a whole number from 1 to 400000000',
        '  REQUEST_TIMEOUT_MS: must be a whole number from 1 to 2147483647',
        '  HANDLER_CONCURRENCY: must be a whole number from 1 to 1000',
        TOKEN_MISSING,
      ),
    ),
  },
  {
    name: 'limits that contradict each other',
    given: () => ({ MAX_CONTENT_BYTES: '2', MAX_CONTENT_BYTES_IN_FLIGHT: '1' }),
    want: fixed(configuration('  MAX_CONTENT_BYTES: must not be larger than MAX_CONTENT_BYTES_IN_FLIGHT')),
  },
  {
    name: 'a misspelt setting beside a fault',
    given: () => ({ PORT: 'http', HANDLER_CONCURENCY: ACCESS_TOKEN }),
    want: fixed(configuration('  PORT: must be a whole number from 0 to 65535', `  ${MISSPELT}`)),
  },
];

const tokensFile = (name: string, reason: string, make?: (file: string) => void): Row => ({
  name,
  given: (folder) => {
    const file = join(folder, 'tokens');
    make?.(file);
    return { ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: file };
  },
  want: (folder) =>
    `ACCESS_TOKENS_FILE: the access tokens in ${join(folder, 'tokens')} cannot be used: ${reason.replace('FOLDER', folder)}. [ACCESS_TOKENS_UNREADABLE]\n`,
});

const NOT_A_FILE = 'it is not a regular file; write the tokens into one';

const tokensFiles: readonly Row[] = [
  tokensFile('a token file that does not exist', "ENOENT: no such file or directory, stat 'FOLDER/tokens'"),
  tokensFile('a token file that is a folder', NOT_A_FILE, (file) => mkdirSync(file)),
  tokensFile('a token file that is a named pipe', NOT_A_FILE, (file) => execFileSync('mkfifo', [file])),
  tokensFile('an empty token file', 'it has no access token; write one on a line of its own', (file) =>
    writeFileSync(file, ''),
  ),
  tokensFile(
    'a token file with comments only',
    'it has no access token; write one on a line of its own',
    (file) => writeFileSync(file, `# ${ACCESS_TOKEN}\n\n`),
  ),
  tokensFile(
    'a token file with lines that are not tokens',
    'line 3, 5 is not an access token (RFC 6750 §2.1, b64token)',
    (file) =>
      writeFileSync(
        file,
        `# comment\n${ACCESS_TOKEN}\n"${ACCESS_TOKEN}"\n\n${ACCESS_TOKEN} ${ACCESS_TOKEN}\n`,
      ),
  ),
];

/** A port on which another server listens until the test ends. */
async function usedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Nest logs a failure to listen, too. */
const addresses: readonly Row[] = [
  {
    name: 'PORT is in use',
    given: async () => ({ PORT: `${await usedPort()}` }),
    want: (_folder, { PORT }) =>
      `The receiver cannot listen on 127.0.0.1:${PORT}: listen EADDRINUSE: address already in use 127.0.0.1:${PORT}. Set HOST and PORT to a free address of this machine. [ADDRESS_UNAVAILABLE]\n`,
    logs: 1,
  },
  {
    name: 'OPERATIONS_PORT is in use',
    given: async () => ({ OPERATIONS_PORT: `${await usedPort()}` }),
    want: (_folder, { OPERATIONS_PORT }) =>
      `The receiver cannot listen on 127.0.0.1:${OPERATIONS_PORT}: listen EADDRINUSE: address already in use 127.0.0.1:${OPERATIONS_PORT}. Set OPERATIONS_PORT to a free port; 0 lets the system choose. [ADDRESS_UNAVAILABLE]\n`,
  },
  {
    name: 'an address of another machine',
    // Reserved for documentation (RFC 5737), so no machine has it.
    given: () => ({ HOST: '192.0.2.1' }),
    want: fixed(
      'The receiver cannot listen on 192.0.2.1:0: listen EADDRNOTAVAIL: address not available 192.0.2.1. Set HOST and PORT to a free address of this machine. [ADDRESS_UNAVAILABLE]\n',
    ),
    logs: 1,
  },
];

const inbox = (name: string, reason: string, make: (inbox: string) => void): Row => ({
  name,
  given: (folder) => {
    make(inboxOf(folder));
    return {};
  },
  want: (folder) =>
    `The inbox in ${inboxOf(folder)} cannot be used: ${reason.replace('FOLDER', folder)}. Check that the folder exists and that this user may write it and its files, or set INBOX_URL to another folder. [INBOX_UNUSABLE]\n`,
});

const inFolderOfTheSystem: Row = {
  name: 'an inbox where no folder can be made',
  given: () => ({ INBOX_URL: 'file:/proc/some/inbox' }),
  want: fixed(
    "The inbox in /proc/some/inbox cannot be used: ENOENT: no such file or directory, mkdir '/proc/some'. Check that the folder exists and that this user may write it and its files, or set INBOX_URL to another folder. [INBOX_UNUSABLE]\n",
  ),
};

const inboxes: readonly Row[] = [
  ...(platform() === 'linux' ? [inFolderOfTheSystem] : []),
  inbox('an inbox that is a file', "EEXIST: file already exists, mkdir 'FOLDER/inbox'", (folder) =>
    writeFileSync(folder, ''),
  ),
  {
    name: 'an inbox below a file',
    given: (folder) => {
      writeFileSync(join(folder, 'file'), '');
      return { INBOX_URL: `file:${folder}/file/inbox` };
    },
    want: (folder) =>
      `The inbox in ${folder}/file/inbox cannot be used: ENOTDIR: not a directory, mkdir '${folder}/file/inbox'. Check that the folder exists and that this user may write it and its files, or set INBOX_URL to another folder. [INBOX_UNUSABLE]\n`,
  },
  {
    name: 'an inbox whose file is not an SQLite database',
    given: (folder) => {
      mkdirSync(inboxOf(folder));
      writeFileSync(join(inboxOf(folder), 'inbox.sqlite'), 'arbitrary'.repeat(1_000));
      return {};
    },
    want: (folder) =>
      `The inbox in ${inboxOf(folder)} is damaged: ${inboxOf(folder)}/inbox.sqlite: file is not a database. Restore a backup, as docs/inbox.md says under "When the inbox is damaged". [INBOX_DAMAGED]\n`,
  },
  inbox('an inbox whose lock is not an SQLite database', 'file is not a database', (folder) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'receiver.lock'), 'arbitrary'.repeat(1_000));
  }),
  inbox(
    'an inbox of another version',
    'FOLDER/inbox/inbox.sqlite has tables of version 5; this receiver knows version 4',
    (folder) => {
      mkdirSync(folder);
      const database = new Database(join(folder, 'inbox.sqlite'));
      database.exec('PRAGMA user_version = 5');
      database.close();
    },
  ),
];

describe('a fault at the start: exit code 1, and a message that says what is wrong and what to do', () => {
  test.each([...settings, ...tokensFiles, ...addresses, ...inboxes])(
    '$name',
    async ({ given, want, logs = 0 }) => {
      const folder = makeFolder();
      const settings = await given(folder);

      const receiver = spawnReceiver({ folder, settings });

      expect(await receiver.exit).toEqual({ code: 1, signal: null });
      expect(receiver.stderr).toBe(want(folder, settings));
      expect(receiver.output).not.toContain(ACCESS_TOKEN);
      expect(receiver.entries()).toHaveLength(logs);
      expect(receiver.output).not.toMatch(/^\s+at |"stack"/m);
    },
  );
});

test('a fault at the start ends the process, even if the handler has begun something that does not end', async () => {
  const NODE_OPTIONS = `${everythingOpen['NODE_OPTIONS'] ?? ''} --import=data:text/javascript,setInterval(Object,1e6)`;

  const receiver = spawnReceiver({ settings: { NODE_OPTIONS, PORT: `${await usedPort()}` } });

  expect(await receiver.exit).toEqual({ code: 1, signal: null });
  expect(receiver.stderr).toContain('[ADDRESS_UNAVAILABLE]');
});

test('a start says that the handler is paused', async () => {
  const folder = makeFolder();
  const first = await startReceiver({ folder });
  expect(await plantInbox('pause', '--inbox', first.inbox)).toMatchObject({ code: 0 });
  await openSender(first).send('arbitrary');
  await first.process.stop();

  const second = await startReceiver({ folder });
  await second.process.stop();

  const PAUSED = 'the handler is paused; deliveries wait until it is resumed';
  expect(first.process.entries(PAUSED)).toEqual([]);
  expect(second.process.entries(PAUSED)).toMatchObject([{ level: 'warn', waiting: 1 }]);
});

test('a misspelt setting is a warning in the log', async () => {
  const { process } = await startReceiver({ settings: { HANDLER_CONCURENCY: ACCESS_TOKEN } });

  expect(process.entries(MISSPELT)).toMatchObject([{ level: 'warn' }]);
  expect(process.stdout).not.toContain(ACCESS_TOKEN);
});
