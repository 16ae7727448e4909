import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import pretty from 'pino-pretty';

import { startCompiler } from './compiler.mjs';
import { developmentEnvironment } from './environment.mjs';
import { guide } from './guide.mjs';
import { DevelopmentReceiver } from './receiver.mjs';
import { WaitingLine } from './waiting-line.mjs';

/** How often to look whether the process that started this one is gone. */
const PARENT_CHECK_MS = 1_000;

/**
 * Compiles and runs the receiver, and again on each change and after each crash. Paths are relative to the
 * workspace, which is the working directory.
 *
 * Exits with 1 if the receiver can't start, and with 0 on SIGINT, SIGTERM or SIGHUP.
 *
 * @param {NodeJS.ProcessEnv} given
 */
export function develop(given) {
  const log = pretty({ ignore: 'hostname,pid', translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true });
  const waiting = new WaitingLine();
  waiting.begin('Compiling the receiver and the sender');
  const compiler = startCompiler(given);
  const receiver = new DevelopmentReceiver();
  let builds = Promise.resolve();
  /** What the running receiver was started with. */
  let running = { environment: given, answers: {} };
  let hasListened = false;
  let isStopping = false;

  compiler
    .on('change', () => {
      const meanwhile = receiver.isRunning ? '. Deliveries still go to the previous build' : '';
      waiting.begin(`Change found: compiling${meanwhile}`);
    })
    .on('line', (line) => {
      waiting.end();
      console.error(line);
    })
    .on('failed', (count) => {
      const [errors, are] = count === 1 ? ['error', 'error is'] : ['errors', 'errors are'];
      const next = receiver.isRunning ? 'The previous build still runs. It restarts' : 'The receiver starts';
      console.error(`${count} type ${errors}. ${next} when the ${are} fixed.`);
    })
    .on('compiled', (seconds) => {
      waiting.end();
      const verb = receiver.isRunning ? 'Restarting' : 'Starting';
      console.log(`Compiled in ${seconds.toFixed(1)} s. ${verb} the receiver...`);
      builds = builds.then(run).catch(onFault);
    })
    .on('exit', () => {
      if (!isStopping) console.error('The TypeScript compiler has ended.');
      void stop(1);
    });

  receiver
    .on('line', (line) => {
      waiting.clear();
      log.write(`${line}\n`);
    })
    .on('listening', (entry) => {
      if (!hasListened) console.log(guide(entry, given, running));
      hasListened = true;
    })
    .on('failed', (code) => {
      if (!hasListened) void stop(code || 1);
      else console.error('The receiver did not start. It starts again when the source is changed.');
    })
    .on('crashed', (how, delay) =>
      console.error(`The receiver crashed (${how}). It starts again in ${delay / 1_000} s.`),
    );

  process.once('SIGINT', () => void stop(0));
  process.once('SIGTERM', () => void stop(0));
  process.once('SIGHUP', () => void stop(0));
  // Whoever kills the process that runs `npm start` doesn't want a receiver that keeps its port. npm starts this one
  // in a shell, which stays when npm is killed.
  const parent = process.ppid;
  const npm = given.npm_lifecycle_event === undefined ? undefined : parentOf(parent);
  setInterval(() => {
    if (process.ppid !== parent || (npm !== undefined && !isRunning(npm))) void stop(1);
  }, PARENT_CHECK_MS).unref();

  async function run() {
    if (isStopping) return;
    const answers = await readAnswers();
    running = { environment: developmentEnvironment(given, answers), answers };
    await receiver.run(running.environment);
  }

  function onFault(error) {
    console.error(error);
    if (!hasListened) void stop(1);
  }

  async function stop(code) {
    if (isStopping) return;
    isStopping = true;
    waiting.end();
    compiler.stop();
    await builds;
    await receiver.stop();
    process.exit(code);
  }
}

/**
 * The process that started another one.
 *
 * @param {number} id
 * @returns {number | undefined} nothing if it can't be found out, as on Windows
 */
function parentOf(id) {
  const { stdout } = spawnSync('ps', ['-o', 'ppid=', '-p', String(id)], { encoding: 'utf8' });
  return Number(stdout) || undefined;
}

/** Whether a process of this user exists. */
function isRunning(id) {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/**
 * The answers that were just compiled, and not those of an earlier build.
 *
 * @returns {Promise<import('@plant-store/contract').Answers>}
 */
async function readAnswers() {
  const url = pathToFileURL(resolve('libs/contract/dist/answers.js'));
  url.searchParams.set('read', String(Date.now()));
  const { answers } = await import(url.href);
  return answers;
}
