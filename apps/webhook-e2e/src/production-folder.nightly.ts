import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { afterThisFile, afterThisTest, freePort, makeFolder, NO_HANDLER } from '@plant-store/test-support';
import { cloneWorkingTree } from '@plant-store/test-support/clone';

import { ROOT } from '../support/development.js';
import { readInbox } from '../support/inbox.js';
import { ACCESS_TOKEN } from '../support/messages.js';
import { untilNothingWaits } from '../support/poison.js';
import { type Environment, TestProcess } from '../support/process.js';
import { everythingOpen, inboxOf, LoggingProcess } from '../support/receiver.js';

const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
const [BUILD = ''] = /sh deploy\/build\.sh out/.exec(dockerfile) ?? [];
const [, USER = ''] = /^USER (\d+):\1$/m.exec(dockerfile) ?? [];
/** The image of the receiver is the last one. */
const command = (instruction: string): string[] =>
  JSON.parse(
    Array.from(dockerfile.matchAll(new RegExp(`^${instruction} .*?(\\[.*\\])$`, 'gm'))).at(-1)![1]!,
  ) as string[];

const { PATH = '', HOME = '' } = process.env;

/** As root: another user, as in the container. */
const asOther =
  process.getuid?.() === 0
    ? ['/usr/bin/setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups']
    : [];
const run = (args: readonly string[], environment: Environment, folder: string): LoggingProcess => {
  const [program = '', ...others] = [...asOther, process.execPath, ...args];
  const started = new LoggingProcess([program, ...others], { environment, folder });
  afterThisTest(() => started.kill());
  return started;
};

/** Runs a shell command to its end. Resolves to what it printed. */
async function succeed(shell: string, folder: string, environment: Environment = {}): Promise<string> {
  const started = new TestProcess(['/bin/sh', '-ec', shell], {
    environment: { PATH, HOME, ...environment },
    folder,
  });
  afterThisFile(() => started.kill());
  const { code } = await started.exit;
  expect({ code, output: code === 0 ? '' : started.output }).toEqual({ code: 0, output: '' });
  return started.stdout;
}

/** A clone of the repository, whose handler is the first of docs/how-to/write-a-handler.md, and also needs Express. */
let clone: string;
/** What is copied into the image. Nobody may write there. */
let built: string;

beforeAll(async () => {
  clone = makeFolder(afterThisFile);
  cloneWorkingTree(ROOT, clone);
  const page = readFileSync(join(ROOT, 'docs/how-to/write-a-handler.md'), 'utf8');
  const [, file = '', handler = ''] = /```ts\n\/\/ (\S+)\n(.*?)```/s.exec(page) ?? [];
  writeFileSync(join(clone, file), handler);
  writeFileSync(
    join(clone, 'apps/webhook/handler/handler.module.ts'),
    `import { Module } from '@nestjs/common';
     import express from 'express';
     @Module({ providers: [{ provide: 'application', useValue: express() }] })
     export class HandlerModule {}`,
  );
  await succeed(
    'npm install --workspace @plant-store/webhook --package-lock-only --ignore-scripts express',
    clone,
  );
  await succeed(BUILD, clone, { VERSION: 'the-version' });
  chmodSync(clone, 0o755);
  built = join(clone, 'out');
  await succeed('chmod -R a-w out', clone);
  afterThisFile(() => succeed('chmod -R u+w out', clone));
}, 900_000);

/** What the receiver is started with, in a folder that is all it may write to. */
async function prepare(settings: Environment = {}): Promise<{
  readonly folder: string;
  readonly url: string;
  readonly environment: Environment & { readonly OPERATIONS_PORT: string };
}> {
  const folder = makeFolder();
  chmodSync(folder, 0o777);
  const tokens = join(folder, 'access-tokens');
  writeFileSync(tokens, `${ACCESS_TOKEN}\n`);
  const port = await freePort();
  const environment = {
    ...everythingOpen,
    PORT: String(port),
    OPERATIONS_PORT: String(await freePort()),
    INBOX_URL: `file:${inboxOf(folder)}`,
    ACCESS_TOKENS_FILE: tokens,
    ...settings,
  };
  return { folder, environment, url: `http://127.0.0.1:${port}/plant/webhook` };
}

/** Starts what is in the image as the image does, with another folder as the working folder. */
const startBuilt = (environment: Environment, folder: string): LoggingProcess =>
  run(
    command('CMD')
      .slice(1)
      .map((part) => part.replace('/opt/plant-store-webhook', built)),
    environment,
    folder,
  );

async function deliver(url: string): Promise<void> {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${ACCESS_TOKEN}` },
    body: 'Arbitrary content.',
  });
  expect(status).toBe(204);
}

describe('the stages of the Dockerfile, without Docker', () => {
  test('build at most 90 MB, in blocks of 4 kB', () => {
    const blocks = readdirSync(built, { recursive: true, encoding: 'utf8' }).map((name) =>
      Math.ceil(lstatSync(join(built, name)).size / 4096),
    );
    expect(blocks.reduce((sum, count) => sum + count, 0) * 4096).toBeLessThanOrEqual(90_000_000);
  });

  test('start as another user, are healthy, keep a delivery, and stop', async () => {
    const { folder, url, environment } = await prepare();
    const HANDLER = join(folder, 'handler.mjs');
    copyFileSync(NO_HANDLER, HANDLER);
    const receiver = startBuilt({ ...environment, HANDLER }, folder);
    expect(await receiver.logged('listening')).toMatchObject({ version: 'the-version' });

    const check = command('HEALTHCHECK').slice(1);
    const health = run(
      check.map((part) => part.replace('3001', environment.OPERATIONS_PORT)),
      {},
      built,
    );
    expect(await health.exit).toEqual({ code: 0, signal: null });

    await deliver(url);
    receiver.signal('SIGTERM');
    expect(await receiver.exit).toEqual({ code: 0, signal: null });
    expect(readInbox(inboxOf(folder)).map(({ content }) => content.toString())).toEqual([
      'Arbitrary content.',
    ]);
  });

  test('run the handler that is built in, which writes to the working folder', async () => {
    const { folder, url, environment } = await prepare();
    const receiver = startBuilt(environment, folder);
    expect(await receiver.logged('listening')).toMatchObject({
      handler: `NewPlantHandler of ${join(built, 'apps/webhook/dist/handler/index.js')}`,
    });

    await deliver(url);

    await untilNothingWaits(inboxOf(folder));
    const [key = ''] = readdirSync(join(folder, 'data/plants'));
    expect(readFileSync(join(folder, 'data/plants', key), 'utf8')).toBe('Arbitrary content.');
  });

  test('run a handler of another repository, with types and dependencies of its own', async () => {
    const other = makeFolder();
    mkdirSync(join(other, 'source'));
    writeFileSync(join(other, 'package.json'), '{ "private": true, "type": "module" }');
    // With another version of Nest than the receiver's.
    await succeed('npm pack --silent --workspace @plant-store/handler --pack-destination "$OTHER"', clone, {
      OTHER: other,
    });
    await succeed(
      'npm install --no-audit --no-fund ./plant-store-handler-*.tgz @nestjs/common@12.4.2 express@5 @types/express@5 reflect-metadata rxjs',
      other,
    );
    writeFileSync(
      join(other, 'source/handler.mts'),
      `import type { AddressInfo } from 'node:net';
       import { Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
       import { type Attempt, type Delivery, type Handler, LOGGER, type Logger } from '@plant-store/handler';
       import express from 'express';

       @Injectable()
       class Catalog implements OnModuleInit {
         readonly plants: string[] = [];
         constructor(@Inject(LOGGER) private readonly logger: Logger) {}
         onModuleInit(): void {
           const application = express().get('/plants', (_, response) => void response.json(this.plants));
           const server = application.listen(0, '127.0.0.1', () =>
             this.logger.info({ port: (server.address() as AddressInfo).port }, 'the catalog listens'),
           );
         }
       }

       @Module({ providers: [Catalog], exports: [Catalog] })
       class CatalogModule {}

       @Module({ imports: [CatalogModule] })
       export class HandlerModule {}

       @Injectable()
       export default class NewPlantHandler implements Handler {
         constructor(
           private readonly catalog: Catalog,
           @Inject(LOGGER) private readonly logger: Logger,
         ) {}
         async handle({ key, content }: Delivery, { signal }: Attempt): Promise<void> {
           signal.throwIfAborted();
           this.catalog.plants.push(new TextDecoder().decode(content));
           this.logger.child({ key }).info('a new plant');
         }
       }`,
    );
    await succeed(
      `"${join(ROOT, 'node_modules/.bin/tsc')}" --strict --target es2022 --module nodenext --types node --experimentalDecorators --emitDecoratorMetadata --outDir . source/handler.mts`,
      other,
    );
    chmodSync(other, 0o755);
    const { folder, url, environment } = await prepare({ HANDLER: join(other, 'handler.mjs') });
    const receiver = startBuilt(environment, folder);
    const { port } = await receiver.logged('the catalog listens');
    expect(await receiver.logged('listening')).toMatchObject({
      handler: `NewPlantHandler of ${join(other, 'handler.mjs')}`,
    });

    await deliver(url);

    expect(await receiver.logged('a new plant')).toMatchObject({ key: expect.any(String) as unknown });
    const response = await fetch(`http://127.0.0.1:${port as number}/plants`);
    expect(await response.json()).toEqual(['Arbitrary content.']);
  }, 300_000);

  test('do not build what does not start, and say why', async () => {
    const start = new TestProcess([process.execPath, 'deploy/start-once.mjs', 'out'], {
      environment: { PATH, HOME, HANDLER: '/no/such/handler.mjs' },
      folder: clone,
    });
    afterThisTest(() => start.kill());
    expect(await start.exit).toEqual({ code: 1, signal: null });
    expect(start.stderr).toContain('HANDLER names no file: /no/such/handler.mjs.');
  });
});
