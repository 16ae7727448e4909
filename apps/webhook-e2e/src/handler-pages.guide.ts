import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterThisTest, freePort, makeFolder } from '@plant-store/test-support';
import ts from 'typescript';

import { ROOT, terminal } from '../support/development.js';
import { plantInbox } from '../support/plant-inbox.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import { untilItListens } from '../support/port.js';
import { TestProcess } from '../support/process.js';
import { startReceiver } from '../support/receiver.js';

/** A test that needs a program. In CI, each has to be there. */
function testWith(program: string): jest.It {
  const isThere = spawnSync(program, ['--version']).error === undefined;
  if (!isThere) process.stderr.write(`There is no ${program}: its test was skipped.\n`);
  return isThere || process.env['CI'] === 'true' ? test : test.skip;
}

const page = readFileSync(join(ROOT, 'docs/how-to/write-a-handler.md'), 'utf8');

/** The block of the page that begins with the name of its file, below a heading if several do. */
function blockOf(file: string, heading = ''): string {
  const text = page.slice(page.indexOf(heading));
  return new RegExp(`\`\`\`\\w+\n((?://|#) ${file}\n.*?)\`\`\``, 's').exec(text)![1]!;
}

/** Compiles a handler of the page into a folder. Returns its path. */
function compileHandler(folder: string, heading?: string): string {
  const source = blockOf('apps/webhook/handler/new-plant.handler.ts', heading);
  const { outputText } = ts.transpileModule(source.replaceAll('data/plants', join(folder, 'plants')), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      experimentalDecorators: true,
    },
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const path = join(folder, 'handler.mjs');
  writeFileSync(path, `${outputText}\nexport { NewPlantHandler as default };\n`);
  return path;
}

/** Starts a program in a terminal. It ends after the test. */
function start(command: readonly [string, ...string[]], folder: string): TestProcess {
  const started = new TestProcess(command, { environment: terminal(), folder });
  afterThisTest(() => started.kill());
  return started;
}

/** The key of a delivery. */
async function keyOf(inbox: string, id: number): Promise<string> {
  const { stdout } = await plantInbox('show', String(id), '-o', 'json', '--inbox', inbox);
  return (JSON.parse(stdout) as { key: string }).key;
}

test('the handler of docs/how-to/write-a-handler.md keeps each content in a file', async () => {
  const folder = makeFolder();
  const receiver = await startReceiver({
    folder,
    settings: { HANDLER: compileHandler(folder) },
  });

  await sendAll(receiver, ['sample content']);
  await untilNothingWaits(receiver.inbox);

  const key = await keyOf(receiver.inbox, 1);
  expect(readFileSync(join(folder, 'plants', key), 'utf8')).toBe('sample content');
});

test('the module of the page is a handler', async () => {
  const HANDLER = join(makeFolder(), 'handler.mjs');
  writeFileSync(HANDLER, blockOf('handler.mjs'));
  const receiver = await startReceiver({ settings: { HANDLER } });

  await sendAll(receiver, ['sample content']);
  await untilNothingWaits(receiver.inbox);
});

testWith('python3')('the service of docs/how-to/write-a-handler.md gets each delivery', async () => {
  const folder = makeFolder();
  const port = await freePort();
  const program = join(folder, 'service.py');
  writeFileSync(program, blockOf('service.py').replace('8000', String(port)));
  const service = start(['python3', program], folder);
  (await untilItListens(service, port)).destroy();
  const receiver = await startReceiver({ settings: { HANDLER: `http://127.0.0.1:${port}/new` } });

  await sendAll(receiver, ['first content', 'second content']);
  await untilNothingWaits(receiver.inbox);

  await service.until(() => service.stdout.includes('second') || undefined, 'both deliveries');
  const printed = await Promise.all(
    ['first', 'second'].map(
      async (which, index) => `${await keyOf(receiver.inbox, index + 1)} ${which} content`,
    ),
  );
  expect(service.stdout.trimEnd().split('\n').toSorted()).toEqual(printed.toSorted());
});

describe('the handler of docs/how-to/write-a-handler.md that hands on to a broker', () => {
  /** A broker with the stream of the page, or as it was when it ended. */
  async function startBroker(
    folder: string,
    port: number,
  ): Promise<{ broker: TestProcess; manager: JetStreamManager }> {
    const broker = start(
      ['nats-server', '-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)],
      folder,
    );
    (await untilItListens(broker, port)).destroy();
    const connection = await connect({ port });
    afterThisTest(() => connection.close());
    const manager = await jetstreamManager(connection);
    return { broker, manager };
  }

  const contentsIn = async (manager: JetStreamManager): Promise<string[]> => {
    const { state } = await manager.streams.info('PLANTS');
    const numbers = Array.from({ length: state.messages }, (_, index) => index + 1);
    const messages = await Promise.all(numbers.map((seq) => manager.streams.getMessage('PLANTS', { seq })));
    return messages.map((message) => message!.string());
  };

  testWith('nats-server')('publishes each delivery once, also one that came in an outage', async () => {
    const folder = makeFolder();
    const port = await freePort();
    const settings = {
      HANDLER: compileHandler(folder, '## Hand on to a broker'),
      NATS_URL: `127.0.0.1:${port}`,
      HANDLER_TIMEOUT_MS: '1000',
      HANDLER_MAX_BACKOFF_MS: '500',
    };
    // The broker isn't there yet.
    const receiver = await startReceiver({ folder, settings });
    await sendAll(receiver, ['before the broker']);
    const first = await startBroker(folder, port);
    await first.manager.streams.add({ name: 'PLANTS', subjects: ['plants.new'] });
    await untilNothingWaits(receiver.inbox);

    await plantInbox('replay', '1', '--yes', '--inbox', receiver.inbox);
    await untilNothingWaits(receiver.inbox);
    expect(await contentsIn(first.manager)).toEqual(['before the broker']);

    await first.broker.stop();
    await sendAll(receiver, ['in an outage']);
    await receiver.process.until(
      () =>
        receiver.process.entries().find(({ msg, delivery }) => msg.includes('comes again') && delivery === 2),
      'a failed attempt',
    );
    const second = await startBroker(folder, port);
    await untilNothingWaits(receiver.inbox);
    expect(await contentsIn(second.manager)).toEqual(['before the broker', 'in an outage']);
  });
});
