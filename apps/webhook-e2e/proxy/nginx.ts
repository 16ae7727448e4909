import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, freePort, makeFolder } from '@plant-store/test-support';

import { ROOT } from '../support/development.js';
import { untilItListens } from '../support/port.js';
import { TestProcess } from '../support/process.js';

/**
 * The path of nginx: the one that `NGINX` names, or Debian's. Without nginx it prints what to install, and the tests are
 * skipped.
 *
 * @throws Error in CI, if there is no nginx
 */
export function findNginx(): string | undefined {
  const path = process.env['NGINX'] || '/usr/sbin/nginx';
  if (existsSync(path)) return path;
  const message = `There is no nginx at ${path}. Install it (Debian: apt-get install nginx-light), or name another with: NGINX=PATH npm run proxy`;
  if (process.env['CI'] === 'true') throw new Error(message);
  process.stderr.write(`${message}\nThe tests of the proxy were skipped.\n`);
  return undefined;
}

/** The configuration of a file in deploy/, without TLS: the tests of the deployed files check that nginx accepts it. */
function readDeployed(name: string): string {
  const text = readFileSync(join(ROOT, 'deploy', name), 'utf8');
  return text.replace('listen 443 ssl;', 'listen 80;').replaceAll(/^ *ssl_.*\n/gm, '');
}

/**
 * Starts nginx with the configuration of deploy/, and waits until it listens. It ends after the test.
 *
 * @param upstream the port to which it passes requests, or two
 * @param buffering `on` is the alternative that the documentation names
 * @returns the port on which it listens
 */
export async function startNginx(
  path: string,
  upstream: number | readonly [number, number],
  buffering: 'on' | 'off' = 'off',
): Promise<number> {
  const port = await freePort();
  const folder = makeFolder();
  const file = join(folder, 'nginx.conf');
  const documented = replaced(
    typeof upstream === 'number' ? forOne(upstream) : forTwo(...upstream),
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['proxy_request_buffering off;', `proxy_request_buffering ${buffering};`],
  );
  writeFileSync(file, configuration(folder, documented));
  // One process, as the user who runs the tests.
  const options = 'daemon off; master_process off;';
  const command = [path, '-p', folder, '-c', file, '-e', 'stderr', '-g', options] as const;
  const nginx = new TestProcess(command, { environment: {} });
  afterThisTest(() => nginx.stop());
  (await untilItListens(nginx, port)).destroy();
  return port;
}

function forOne(port: number): string {
  return replaced(readDeployed('nginx.conf'), ['127.0.0.1:3000', `127.0.0.1:${port}`]);
}

function forTwo(one: number, other: number): string {
  return replaced(
    readDeployed('nginx-two-receivers.conf'),
    ['127.0.0.1:3000', `127.0.0.1:${one}`],
    ['127.0.0.1:3010', `127.0.0.1:${other}`],
  );
}

/** What a user without rights needs besides the part in deploy/. */
export function configuration(folder: string, documented: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
pid ${folder}/nginx.pid;
events {}
http {
access_log off;
${temporary.join('\n')}
${documented}
}
`;
}

/** @throws Error if the text doesn't have each part exactly once */
function replaced(text: string, ...replacements: readonly (readonly [part: string, by: string])[]): string {
  return replacements.reduce((changed, [part, by]) => {
    if (changed.split(part).length !== 2)
      throw new Error(`The documented configuration must have ${part} once.`);
    return changed.replace(part, by);
  }, text);
}
