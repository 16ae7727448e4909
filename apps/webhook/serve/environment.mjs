import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { getGraphTimeDotEnvForTask } from 'nx/src/tasks-runner/task-env.js';

const TOKENS_FILE = 'data/access-tokens';

/** Where the key of signatures is, if none is configured. */
export const SIGNING_KEY_FILE = 'data/signing-key';

/**
 * Adds what Nx reads from `.env`, `.env.local`, `apps/webhook/.env` and the like before it runs `nx serve webhook`, so
 * that `npm start` has the same settings. What Nx has added already stays as it is.
 *
 * @param {NodeJS.ProcessEnv} environment
 */
export function withDotEnvFiles(environment) {
  return getGraphTimeDotEnvForTask('apps/webhook', 'serve', undefined, undefined, environment);
}

/**
 * The environment of a receiver under development: it logs each delivery, and a token is made if none is configured.
 * So is a signing key, once `signing` is answered. Both stay the same from one start to the next.
 *
 * @param {NodeJS.ProcessEnv} given
 * @param {import('@plant-store/contract').AnswerValues} answers
 */
export function developmentEnvironment(given, { signing }) {
  const made = {};
  if (!given.ACCESS_TOKENS && !given.ACCESS_TOKENS_FILE) {
    makeSecret(TOKENS_FILE, () => random('base64url'));
    made.ACCESS_TOKENS_FILE = TOKENS_FILE;
  }
  if (signing !== undefined && !given.SIGNING_KEYS) {
    const { prefix, encoding } = signing.key;
    makeSecret(SIGNING_KEY_FILE, () => prefix + random(encoding === 'base64' ? 'base64' : 'base64url'));
    made.SIGNING_KEYS = readFileSync(SIGNING_KEY_FILE, 'utf8').trim().split('\n').at(-1);
  }
  const set = withoutEmpty(given);
  return { ...made, ...set, LOG_LEVEL: logLevel(set.LOG_LEVEL) };
}

/** At least `info`: only the log says that the receiver listens. */
function logLevel(level = 'debug') {
  return ['warn', 'error', 'fatal', 'silent'].includes(level) ? 'info' : level;
}

/** @param {BufferEncoding} encoding */
function random(encoding) {
  return randomBytes(32).toString(encoding);
}

/** Writes a secret to a file, unless the file exists. */
function makeSecret(file, make) {
  if (existsSync(file)) return;
  mkdirSync('data', { recursive: true });
  writeFileSync(file, `# Made for development by apps/webhook/serve.\n${make()}\n`, { mode: 0o600 });
}

/** An empty variable counts as not set. */
function withoutEmpty(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
}
