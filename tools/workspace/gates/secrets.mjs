/**
 * `nx run workspace:secrets [FILE…]`: no private key and no file of tokens is tracked, or would be by `git add --all`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[\w+/=]{20}/;

/** What files of secrets are called. */
const SECRET = /(?:^|\/)(?:access-tokens|signing-keys?|\.env(?:\.[^/]*)?|[^/]*\.(?:env|key|p12|pfx))$/;
const OWN_FOLDER = /^deploy\/secrets\/(?!\.gitignore$|README\.md$)/;

/** Keys that are public, of the tests. */
const PUBLIC = /^libs\/(?:cli|sdk)\/test\/fixtures\/loopback\.key$/;

const given = process.argv.slice(2);
const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
const files =
  given.length > 0
    ? given
    : spawnSync('git', list, { encoding: 'utf8', maxBuffer: 2 ** 26 })
        .stdout.split('\0')
        .filter(Boolean);
const secrets = files
  .filter((file) => !PUBLIC.test(file))
  .filter((file) => SECRET.test(file) || OWN_FOLDER.test(file) || KEY.test(textOf(file)));
for (const file of secrets)
  console.error(`${file}: take this secret out of git, and replace it. It belongs to deploy/secrets.`);
process.exitCode = secrets.length > 0 ? 1 : 0;

/** @param {string} file */
function textOf(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // It was removed, and not yet from git; or it is a link to nothing.
    return '';
  }
}
