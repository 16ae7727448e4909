// Serves the receiver to a developer: builds, starts, builds and starts again on a change. `nx serve webhook`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import pretty from 'pino-pretty';

import { developmentEnvironment } from './development-environment.mjs';
import { readAnswers } from './read-answers.mjs';
import { choices, sendLine } from './send-line.mjs';

const log = pretty({ ignore: 'hostname,pid', translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true });

let receiver;
let hasListened = false;
let isStopping = false;
let starting = Promise.resolve();

const compiler = spawn(
  process.execPath,
  [
    'node_modules/typescript/bin/tsc',
    ...['--build', '--watch', '--preserveWatchOutput', '--pretty', 'false'],
    ...['apps/webhook/tsconfig.build.json', 'libs/sdk/tsconfig.build.json'],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);

createInterface({ input: compiler.stdout }).on('line', (line) => {
  if (line.includes('Found 0 errors')) starting = starting.then(restart);
  else if (line.includes('error TS')) console.error(line);
});
compiler.once('exit', () => void stop(1));
process.once('SIGINT', () => void stop(0));
process.once('SIGTERM', () => void stop(0));

async function restart() {
  if (isStopping) return;
  await end(receiver);
  const answers = await readAnswers();
  const environment = developmentEnvironment(process.env, answers);
  const child = spawn(process.execPath, ['apps/webhook/dist/main.js'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  receiver = child;
  createInterface({ input: child.stdout }).on('line', (line) => print(line, environment, answers));
  child.once('exit', (code) => {
    if (!hasListened) void stop(code ?? 1);
    else console.error('The receiver ended. It starts again on the next change.');
  });
}

function print(line, environment, answers) {
  log.write(`${line}\n`);
  if (hasListened || !line.includes('"msg":"listening"')) return;
  hasListened = true;
  const { url, operations, inbox } = JSON.parse(line);
  console.log(`
Deliveries are taken at  ${url}
and kept in              ${inbox}
Documents at             ${operations}

To send one, in a second terminal${choices(answers)}:

  ${sendLine(new URL(url).origin, environment, process.env, answers)}
`);
}

async function stop(code) {
  if (isStopping) return;
  isStopping = true;
  compiler.kill();
  await end(receiver);
  process.exit(code);
}

/** Lets a receiver end in order; that it does is then no news. */
async function end(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.removeAllListeners('exit');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
