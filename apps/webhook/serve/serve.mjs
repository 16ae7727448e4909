// `npm start`, `nx serve webhook`: compiles and runs the receiver, and again on each change and after each crash. Types are
// checked beside it. Paths are relative to the workspace, which is the working directory.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';

import pretty from 'pino-pretty';

import { compile, compileCommands, compiledAnswers, RECEIVER } from './compile.mjs';
import { developmentEnvironment, readDotEnvFiles } from './environment.mjs';
import { guide } from './guide.mjs';

/** How often the sources are looked at, and the process that started this one. */
const LOOK_MS = 500;

/** Waited before the restart after a crash. */
const CRASH_MS = 1_000;

/** Of one Ctrl+C, npm passes on what the terminal sends to this process, too. A later signal is a second one. */
const SAME_SIGNAL_MS = 1_000;

/** Builds the pages that the receiver serves. That of the interface takes long: only in a fresh clone. */
const API_PAGE = 'apps/webhook/dist/api.html';
const BUILD_API_PAGE = `npm run --silent openapi -- html --output ${API_PAGE}`;
const BUILD_INSPECTOR = 'node apps/webhook/serve/build-inspector.mjs';

const TSC = [
  'node_modules/typescript/bin/tsc',
  ...['--build', '--watch', '--preserveWatchOutput', '--synchronousWatchDirectory'],
  ...['apps/webhook/tsconfig.build.json', 'libs/cli/tsconfig.build.json'],
];

/** Source maps show the lines that the team wrote. A larger young generation makes the receiver faster. */
const OPTIONS = [
  ...['--enable-source-maps', '--max-semi-space-size=64'],
  ...['--import', new URL('end-with-parent.mjs', import.meta.url).href],
];

const log = pretty({
  ignore: 'service,version,receiver',
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
  sync: true,
});
const parent = process.ppid;
/** It listens on the same ports each time, also on those that the system chose. */
let ports = {};
let receiver;
let compiler;
let restart;
let hasListened = false;
let fault;
let stoppedAt;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0));
process.on('uncaughtException', (error) => {
  console.error(error.code === 'EACCES' ? notOurs(error) : error);
  void stop(1);
});

readDotEnvFiles();
console.log('Compiling and starting the receiver...');
if (existsSync('apps/webhook/inspector')) spawnSync(BUILD_INSPECTOR, { shell: true, stdio: 'inherit' });
if (!existsSync(API_PAGE)) spawnSync(BUILD_API_PAGE, { shell: true, stdio: 'inherit' });
await update();

/** Compiles what has changed, and runs it in place of what runs. */
async function update() {
  if (process.ppid !== parent) await stop(1);
  const since = performance.now();
  try {
    const [first, ...others] = await compile();
    fault = undefined;
    if (first !== undefined) {
      await end();
      const sources = others.length === 0 ? first : `${first} and ${others.length} more`;
      await start(hasListened ? sources : 'The receiver', since);
    }
  } catch (error) {
    if (error.code !== undefined) throw error;
    if (error.message !== fault)
      console.error(`${error.message}\nThe receiver starts again when this is fixed.`);
    fault = error.message;
  }
  setTimeout(update, LOOK_MS);
}

/** Runs what was compiled. After a crash it starts again; if it has never listened, nothing but a change helps. */
async function start(what, since) {
  if (stoppedAt !== undefined) return;
  const answers = await compiledAnswers();
  const environment = developmentEnvironment(process.env, answers);
  let listens = false;
  receiver = startChild([`${RECEIVER}/main.js`], { ...environment, ...ports }, (line) => {
    log.write(`${line}\n`);
    if (listens || !line.includes('"msg":"listening"')) return;
    listens = true;
    const entry = JSON.parse(line);
    ports = { PORT: portOf(entry.url), OPERATIONS_PORT: portOf(entry.operations) };
    console.log(`${what}: live after ${((performance.now() - since) / 1_000).toFixed(1)} s.`);
    if (hasListened) return;
    hasListened = true;
    compileCommands().then(() => {
      console.log(guide(entry, process.env, { environment, answers }));
      checkTypes();
    });
  });
  receiver.once('close', (code, signal) => {
    if (listens) {
      console.error(`The receiver crashed (${signal ?? `exit code ${code}`}). It starts again in 1 s.`);
      restart = setTimeout(() => start('The receiver', performance.now()), CRASH_MS);
    } else if (hasListened) {
      console.error('The receiver did not start. It starts again when the source is changed.');
    } else void stop(code || 1);
  });
}

/** Ends what runs, in order. */
async function end() {
  clearTimeout(restart);
  if (receiver === undefined || receiver.exitCode !== null || receiver.signalCode !== null) return;
  receiver.removeAllListeners('close');
  const ended = once(receiver, 'close');
  receiver.kill('SIGTERM');
  await ended;
}

async function stop(code) {
  if (stoppedAt === undefined) {
    stoppedAt = performance.now();
    compiler?.kill();
    await end();
    process.exit(code);
  } else if (performance.now() - stoppedAt > SAME_SIGNAL_MS) process.exit(1);
}

/** tsc also builds `dist`, from which the commands of the workspace run. Whatever else this machine does goes first. */
function checkTypes() {
  if (stoppedAt !== undefined) return;
  let before;
  compiler = startChild(TSC, process.env, (line) => {
    const [, count] = /Found (\d+) errors?\./.exec(line) ?? [];
    if (count === undefined && !/^$|^\d+:\d\d:\d\d /.test(line)) console.error(line);
    if (count !== undefined && (count !== '0' || before !== '0'))
      console.log(
        `The types are checked: ${count === '0' ? 'no errors' : `errors: ${count}. The receiver runs all the same`}.`,
      );
    before = count ?? before;
  });
  setPriority(compiler.pid, constants.priority.PRIORITY_BELOW_NORMAL);
}

/** Starts a process that ends with this one, however this one ends. What a terminal sends on Ctrl+C doesn't reach it. */
function startChild(args, env, onLine) {
  const child = spawn(process.execPath, [...OPTIONS, ...args], {
    env,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  createInterface({ input: child.stdout }).on('line', onLine);
  return child;
}

/** A URL has no port if it is the one of its scheme. */
function portOf(url) {
  return new URL(url).port || '80';
}

function notOurs({ path }) {
  const what = relative('.', path) || 'This folder';
  return `${what} may not be written by this user. Run npm start as the user who owns it, or make the whole folder yours: sudo chown -R "$USER" .`;
}
