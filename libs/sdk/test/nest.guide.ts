/** Runs the application of Nest in README.md. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withEverythingOpen, writeDocumented } from './support/documented.js';
import { acknowledge, type RawServer, startRawServer, staySilent } from './support/raw-server.js';
import { type Running, startProcess } from './support/run-process.js';
import { accessToken } from './support/senders.js';

const plant = { arbitrary: 'content' };

/** Preloaded: prints on which port a server listens. */
const PRINT_PORT = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => console.log('port', server.address().port));
`)}`;

/** The documented main module, also with options that come later. */
const modules = ['app.module.js', 'app-async.module.js'];

/** Writes the documented application. Returns its folder. */
function writeApplication(): string {
  const folder = writeDocumented('README.md');
  const [module = '', later = ''] = modules.map((name) => join(folder, name));
  const source = readFileSync(module, 'utf8');
  const options = /forRoot\((\{[^}]*\})\)/;
  expect(source).toMatch(options);
  writeFileSync(later, source.replace(options, 'forRootAsync({ useFactory: async () => ($1) })'));
  return folder;
}

const serve = (module: string): string => `import { NestFactory } from '@nestjs/core';
import { AppModule } from './${module}';
const app = await NestFactory.create(AppModule);
app.enableShutdownHooks();
await app.listen(process.env.PORT);`;

/** Starts a module beside the documented application. */
function start(folder: string, source: string, { url }: RawServer, env: NodeJS.ProcessEnv = {}): Running {
  const file = join(folder, 'start.js');
  writeFileSync(file, source);
  const own = { RECEIVER_URL: url, ACCESS_TOKEN: accessToken };
  const args = ['--import', PRINT_PORT, ...withEverythingOpen(file)];
  return startProcess(process.execPath, args, { env: { ...own, ...env } });
}

/** Resolves with the first line of a process that begins with this text. */
function printed({ child }: Running, text: string): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  return new Promise((resolve) => lines.on('line', (line) => line.startsWith(text) && resolve(line)));
}

test.each(modules)(
  'the documented application with %s sends, and handles what has arrived before it stops',
  async (module) => {
    const receiver = await startRawServer(staySilent);
    const application = start(writeApplication(), serve(module), receiver, { PORT: '0' });
    const [, port] = (await printed(application, 'port ')).split(' ');
    // A server that stops listening closes the connections on which no request runs.
    const idle = connect(Number(port), '127.0.0.1');
    idle.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'data');
    const stopped = once(idle, 'close');

    const headers = { 'content-type': 'application/json', connection: 'close' };
    const body = JSON.stringify(plant);
    const response = fetch(`http://127.0.0.1:${port}/plants`, { method: 'POST', headers, body });
    const request = await receiver.request(0);
    application.child.kill('SIGTERM');
    await stopped;
    acknowledge(request);

    expect((await response).status).toBe(201);
    await application.finished;
    expect(application.child.signalCode).toBe('SIGTERM');
    expect(JSON.parse(request.content.toString())).toEqual(plant);
    expect(request.headers).toEqual([
      `host: 127.0.0.1:${receiver.port}`,
      'connection: keep-alive',
      `authorization: Bearer ${accessToken}`,
      'content-type: application/json',
      `content-length: ${request.content.length}`,
    ]);
  },
);

test('an application that stops waits for a delivery that nobody awaits', async () => {
  const receiver = await startRawServer(staySilent);
  const application = start(
    writeApplication(),
    `import { NestFactory } from '@nestjs/core';
     import { NEW_PLANT_SENDER } from '@plant-store/sdk/nest';
     import { AppModule } from './app.module.js';
     const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
     const sender = app.get(NEW_PLANT_SENDER);
     const delivery = sender.send({ arbitrary: 'content' }).then(({ status }) => console.log(status));
     process.once('SIGTERM', () => {
       const closed = app.close().then(() => console.log('closed'));
       setImmediate(() => console.log('closing'));
     });`,
    receiver,
  );
  const request = await receiver.request(0);

  application.child.kill('SIGTERM');
  await printed(application, 'closing');
  acknowledge(request);

  expect(await application.finished).toMatchObject({ code: 0, stdout: 'closing\n204\nclosed\n' });
});

test.each(modules)('with invalid options, the application with %s does not start', async (module) => {
  const receiver = await startRawServer(acknowledge);
  const { finished } = start(
    writeApplication(),
    `import { NestFactory } from '@nestjs/core';
       import { AppModule } from './${module}';
       await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false })
         .catch(({ code, faults }) => console.log(code, faults[0].option));`,
    receiver,
    { RECEIVER_URL: '' },
  );

  const stdout = 'PLANT_STORE_INVALID_OPTIONS baseUrl\n';
  expect(await finished).toMatchObject({ code: 0, stdout, stderr: '' });
});
