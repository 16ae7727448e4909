import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files of a working tree that Git doesn't ignore.
 *
 * @param {string} root
 * @param {string} name such as `package.json` or `*.md`
 * @returns {string[]} relative paths
 */
export function listFiles(root, name) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', `:(glob)**/${name}`];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  return files.filter((file) => file !== '' && existsSync(join(root, file)));
}
