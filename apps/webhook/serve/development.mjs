import { spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ANSWERS, Build, buildCommands, buildPages, sourceFolders } from './build.mjs';
import { developmentEnvironment } from './environment.mjs';
import { guide } from './guide.mjs';
import { createLog } from './log.mjs';
import { DevelopmentReceiver } from './receiver.mjs';
import { startFault } from './start-fault.mjs';
import { startTypeCheck } from './type-check.mjs';
import { WaitingLine } from './waiting-line.mjs';

/** How often to look whether the process that started this one is gone. */
const PARENT_CHECK_MS = 1_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Of one Ctrl+C, npm passes on what the terminal sends to this process, too. A later signal is a second one. */
const SAME_SIGNAL_MS = 1_000;

/** An editor that saves several files, or one in several steps, is done by then. */
const SAVING_MS = 30;

/**
 * Builds and runs the receiver, and again on each change and after each crash. Types are checked beside it. Paths are
 * relative to the workspace, which is the working directory.
 *
 * Exits with 1 if the receiver can't start, and with 0 on SIGINT, SIGTERM or SIGHUP.
 *
 * @param {NodeJS.ProcessEnv} given
 */
export async function develop(given) {
  const fault = await startFault(given);
  if (fault !== undefined) {
    console.error(fault);
    process.exitCode = 1;
    return;
  }
  const log = createLog();
  const waiting = new WaitingLine();
  const build = new Build();
  const page = buildPages();
  const receiver = new DevelopmentReceiver();
  let typeCheck;
  let builds = Promise.resolve();
  /** What was built and starts, and when it was saved; undefined once it listens. */
  let change;
  /** What the running receiver was started with. */
  let running = { environment: given, answers: {} };
  let hasListened = false;
  let hasTypeErrors;
  let isStopping = false;

  receiver
    .on('line', (line) => {
      waiting.clear();
      log(line);
    })
    .on('listening', (entry) => {
      waiting.end();
      if (change !== undefined) {
        const seconds = ((performance.now() - change.since) / 1_000).toFixed(1);
        console.log(`${change.what}: live after ${seconds} s.`);
      }
      change = undefined;
      // It prints the commands that are built meanwhile.
      if (!hasListened) void builds.then(() => console.log(guide(entry, given, running)));
      hasListened = true;
    })
    .on('failed', (code) => {
      waiting.end();
      if (!hasListened) void stop(code || 1);
      else console.error('The receiver did not start. It starts again when the source is changed.');
    })
    .on('crashed', (how, delay) =>
      console.error(`The receiver crashed (${how}). It starts again in ${delay / 1_000} s.`),
    );

  for (const signal of SIGNALS) process.on(signal, onSignal);
  // Whoever kills the process that runs `npm start` doesn't want a receiver that keeps its port. npm starts this one
  // in a shell, which stays when npm is killed.
  const parent = process.ppid;
  const npm = given.npm_lifecycle_event === undefined ? undefined : parentOf(parent);
  setInterval(() => {
    if (process.ppid !== parent || (npm !== undefined && !isRunning(npm))) void stop(1);
  }, PARENT_CHECK_MS).unref();

  let saving;
  let watchers = [];
  waiting.begin('Compiling and starting the receiver');
  update(performance.now());
  await builds;
  startTypes();

  /** New folders are watched too. What is saved before they are is found by the build that follows. */
  function watchSources() {
    const before = watchers;
    // An error means that the folder was removed, which the one above reports.
    watchers = sourceFolders().map((folder) => watch(folder, onSaved).on('error', () => undefined));
    for (const watcher of before) watcher.close();
  }

  function onSaved() {
    const since = performance.now();
    clearTimeout(saving);
    saving = setTimeout(() => update(since), SAVING_MS);
  }

  /** Builds what has changed, and runs it. */
  function update(since) {
    builds = builds.then(() => run(since)).catch(onFault);
  }

  async function run(since) {
    if (isStopping) return;
    watchSources();
    const changed = await build.run();
    if (changed.length === 0) return;
    const [first, ...others] = changed;
    const sources = others.length === 0 ? first : `${first} and ${others.length} more`;
    change = { what: hasListened ? sources : 'The receiver', since };
    if (hasListened) waiting.begin(`${sources}: restarting the receiver`);
    const answers = await readAnswers();
    running = { environment: developmentEnvironment(given, answers), answers };
    if (!hasListened) await page;
    await receiver.run(running.environment);
    if (!hasListened) await buildCommands();
  }

  function onFault(error) {
    waiting.end();
    const next = receiver.isRunning ? 'The previous build still runs. It restarts' : 'The receiver starts';
    console.error(`${error.message}\n${next} when this is fixed.`);
  }

  function startTypes() {
    if (isStopping) return;
    typeCheck = startTypeCheck(given)
      .on('line', (line) => {
        waiting.clear();
        console.error(line);
      })
      .on('checked', (count) => {
        waiting.clear();
        if (count > 0)
          console.error(
            `${count} type ${count === 1 ? 'error' : 'errors'}.${receiver.isRunning ? ' The receiver runs all the same.' : ''}`,
          );
        else if (hasTypeErrors !== false) console.log('The types are checked: no errors.');
        hasTypeErrors = count > 0;
      })
      .on('exit', () => {
        if (!isStopping) console.error('The TypeScript compiler has ended. Types are no longer checked.');
      });
  }

  function onSignal() {
    if (!isStopping) setTimeout(() => setImmediate(letEnd), SAME_SIGNAL_MS).unref();
    void stop(0);
  }

  /** From now on, a signal ends this process, and with it the others. */
  function letEnd() {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }

  async function stop(code) {
    if (isStopping) return;
    isStopping = true;
    waiting.end();
    typeCheck?.stop();
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
 * The answers that were just compiled, and not those of an earlier build, as far as the receiver carries them out.
 *
 * @returns {Promise<import('@plant-store/contract').AnswerValues>}
 */
async function readAnswers() {
  const url = pathToFileURL(resolve(ANSWERS));
  url.searchParams.set('read', String(Date.now()));
  const { answers } = await import(url.href);
  const { valuesOf } = await import(new URL('answer-types.js', url).href);
  return valuesOf(answers);
}
