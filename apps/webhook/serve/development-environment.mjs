import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';

const TOKENS_FILE = 'data/access-tokens';

/**
 * The environment of a receiver under development: every delivery is reported, and a token is made if none is
 * configured. It stays the same from one start to the next.
 *
 * @param {NodeJS.ProcessEnv} environment
 */
export function developmentEnvironment(environment) {
  const { LOG_LEVEL = 'debug', ACCESS_TOKENS, ACCESS_TOKENS_FILE } = environment;
  if (ACCESS_TOKENS || ACCESS_TOKENS_FILE) return { ...environment, LOG_LEVEL };
  if (!existsSync(TOKENS_FILE)) {
    mkdirSync('data', { recursive: true });
    const token = randomBytes(32).toString('base64url');
    writeFileSync(TOKENS_FILE, `# made for development by apps/webhook/serve\n${token}\n`, { mode: 0o600 });
  }
  return { ...environment, LOG_LEVEL, ACCESS_TOKENS_FILE: TOKENS_FILE };
}
