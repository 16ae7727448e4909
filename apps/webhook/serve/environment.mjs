import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const TOKENS_FILE = 'data/access-tokens';

/** Where the key of signatures is, if none is configured. */
export const SIGNING_KEY_FILE = 'data/signing-key';

/** Where Nx reads settings before it runs `nx serve webhook`, the first of which goes first. */
const DOT_ENV_FILES = ['apps/webhook/.env.local', 'apps/webhook/.env', '.env.local', '.env'];

/** Reads them for `npm start`, too. What is set already stays as it is. */
export function readDotEnvFiles() {
  for (const file of DOT_ENV_FILES) if (existsSync(file)) process.loadEnvFile(file);
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
