import { EventEmitter, on } from 'node:events';
import { copyFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { exampleAnswers } from '@plant-store/example-answers';
import { afterThisTest, makeFolder } from '@plant-store/test-support';
import type { CommandContext } from '../src/context.js';
import { openRenewedSender, type RenewedSender } from '../src/outbox/renewed-sender.js';
import type { SenderValues } from '../src/send/sender-options.js';
import { fixture, startReceiver, startTlsReceiver } from './support/receiver.js';

const signing = { ...exampleAnswers.signing, signed: ['content'] } as const;

/** Opens a sender that logs to an emitter. */
async function open(values: SenderValues, log: EventEmitter): Promise<RenewedSender> {
  const context: CommandContext = {
    given: { signing },
    environment: {},
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    signal: new AbortController().signal,
    secondSignal: new AbortController().signal,
  };
  const renewed = await openRenewedSender(
    { method: 'POST', ...values },
    context,
    [],
    (level, message, fields) => log.emit('line', { level, message, ...fields }),
  );
  afterThisTest(() => {
    renewed.cutOff();
    return renewed.close();
  });
  return renewed;
}

/** What it logs next. */
async function nextLine(log: EventEmitter): Promise<object> {
  for await (const [line] of on(log, 'line') as AsyncIterable<[object]>) return line;
  throw new Error('The log has ended.');
}

/** The files of all options, in a folder of their own. */
function makeFiles() {
  const folder = makeFolder();
  const path = (name: string): string => join(folder, name);
  const write = (): void => {
    copyFileSync(fixture('loopback.crt'), path('ca'));
    copyFileSync(fixture('loopback.crt'), path('cert'));
    copyFileSync(fixture('loopback.key'), path('key'));
    writeFileSync(path('token'), 'arbitrary');
    writeFileSync(path('signing-key'), 'whsec_YXJiaXRyYXJ5LWtleS1vZi0yNC1ieXRlcw==');
  };
  write();
  const values = {
    ...{ ca: path('ca'), cert: path('cert'), key: path('key') },
    ...{ accessTokenFile: path('token'), signingKeyFile: path('signing-key') },
  };
  return { path, write, values };
}

const plant = { content: Buffer.from('arbitrary') };

describe('the sender of a relay', () => {
  test('reads all its files again, and goes on with what it read before while they can not be used', async () => {
    const receiver = await startTlsReceiver();
    const { path, write, values } = makeFiles();
    const log = new EventEmitter();
    const { sender } = await open({ ...values, baseUrl: receiver.url }, log);

    for (const name of ['ca', 'cert', 'key', 'token', 'signing-key']) rmSync(path(name));
    const line = await nextLine(log);

    expect(line).toMatchObject({ level: 'error', files: expect.any(Array) });
    for (const name of ['--ca', '--cert', '--key', 'access token', 'signing key'])
      expect(line).toMatchObject({
        reason: expect.stringMatching(`The (file of )?${name}( file)? .* can't be read`),
      });
    await sender.sendEncoded(plant);

    write();
    writeFileSync(path('token'), 'new');
    expect(await nextLine(log)).toMatchObject({ level: 'info' });
    await sender.sendEncoded(plant);
    expect(receiver.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer arbitrary',
      'Bearer new',
    ]);
  });

  test('reads a link again, also while one that it replaced is still sending', async () => {
    const receiver = await startReceiver(({ content }) => (content === 'hangs' ? undefined : 204));
    const { path, values } = makeFiles();
    const [link, next] = [path('link'), path('next')];
    const pointTo = (token: string): void => {
      writeFileSync(path(token), token);
      symlinkSync(token, next);
      renameSync(next, link);
    };
    pointTo('one');
    const log = new EventEmitter();
    const { signingKeyFile } = values;
    const options = { signingKeyFile, accessTokenFile: link, attemptTimeout: 600_000, totalTimeout: 600_000 };
    const { sender } = await open({ ...options, baseUrl: receiver.url }, log);
    const hanging = sender.sendEncoded({ content: Buffer.from('hangs') });
    hanging.catch(() => {});
    await receiver.whenReceived(1);

    for (const token of ['two', 'three']) {
      pointTo(token);
      expect(await nextLine(log)).toMatchObject({ level: 'info' });
      await sender.sendEncoded(plant);
    }

    expect(receiver.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer one',
      'Bearer two',
      'Bearer three',
    ]);
  });
});
