import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { facts } from '@plant-store/contract';
import { afterThisTest, type CleanUp, freePort, makeFolder } from '@plant-store/test-support';

import { ROOT } from '../support/development.js';
import { soon, untilItListens } from '../support/port.js';
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

/** Whether this machine has IPv6, so that nginx can listen there. */
export const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1');

/** nginx that listens with TLS. */
export interface NginxWithTls {
  readonly origin: string;
  /** Its certificate, which is its own authority, in PEM. */
  readonly certificate: string;
  /** Stops it once it has logged this many requests. Resolves to all that it logged. */
  readonly stopAfter: (requests: number) => Promise<string>;
}

/** The port of one receiver, or of two. */
type Upstream = number | readonly [number, number];

/**
 * Starts nginx with the configuration of deploy/, but without TLS, and waits until it listens. It ends after the test
 * unless it is told otherwise.
 *
 * @param upstream where it passes requests
 * @param options `buffering: 'on'` is the alternative that the documentation names
 * @returns the port on which it listens
 */
export async function startNginx(
  path: string,
  upstream: Upstream,
  {
    buffering = 'off',
    cleanUp = afterThisTest,
  }: { readonly buffering?: 'on' | 'off'; readonly cleanUp?: CleanUp } = {},
): Promise<number> {
  const documented = replaced(readDeployed(upstream), [
    'proxy_request_buffering off;',
    `proxy_request_buffering ${buffering};`,
  ]);
  return (await start(path, makeFolder(cleanUp), withoutTls(documented), cleanUp)).port;
}

/**
 * Starts nginx with the configuration of deploy/ for the inspector, but without TLS. Its origin is that of the file, and
 * `maria` signs in with `m`. It ends after the test.
 *
 * @param operations the URL of the operations listener
 * @returns the port on which it listens
 */
export async function startNginxOfInspector(path: string, operations: string): Promise<number> {
  const folder = makeFolder();
  writeFileSync(join(folder, 'operators'), 'maria:{PLAIN}m\n');
  const documented = replaced(readFileSync(join(ROOT, 'deploy/nginx-inspector.conf'), 'utf8'), [
    'http://127.0.0.1:3001;',
    `${new URL(operations).origin};`,
  ]);
  return (await start(path, folder, withoutTls(documented), afterThisTest)).port;
}

/**
 * Starts nginx with the configuration of deploy/ and a certificate for 127.0.0.1, and waits until it listens. It ends
 * after the test.
 */
export async function startNginxWithTls(path: string, upstream: Upstream): Promise<NginxWithTls> {
  const folder = makeFolder();
  const file = (ending: string): string => join(folder, `tls/plant-store-webhook.${ending}`);
  mkdirSync(join(folder, 'tls'));
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=plants.example'];
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...request, ...names, '-keyout', file('key'), '-out', file('crt')], {
    stdio: 'pipe',
  });
  const { nginx, port } = await start(path, folder, readDeployed(upstream), afterThisTest);
  return {
    origin: `https://127.0.0.1:${port}`,
    certificate: readFileSync(file('crt'), 'utf8'),
    stopAfter: async (requests) => {
      const read = (): string => readFileSync(join(folder, 'access.log'), 'utf8');
      // nginx may log a request after its response, and not at all if it stops before.
      while (read().split('\n').length <= requests) await soon();
      await nginx.stop();
      return read() + nginx.output;
    },
  };
}

async function start(
  path: string,
  folder: string,
  documented: string,
  cleanUp: CleanUp,
): Promise<{ nginx: TestProcess; port: number }> {
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  // Only root may listen on 443.
  const text = replaced(
    HAS_IPV6 ? documented : documented.replace(/^ *listen \[::\].*$/m, '# listen [::]:443'),
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['listen [::]:443', `listen [::1]:${port}`],
  );
  writeFileSync(file, configuration(folder, text));
  // What Debian has where nginx looks for files if nobody says what to do with a path.
  mkdirSync(join(folder, 'html'));
  writeFileSync(join(folder, 'html/index.html'), 'Welcome to nginx!');
  // One process, as the user who runs the tests.
  const options = 'daemon off; master_process off;';
  const command = [path, '-p', folder, '-c', file, '-e', 'stderr', '-g', options] as const;
  const nginx = new TestProcess(command, { environment: {} });
  cleanUp(() => nginx.stop());
  (await untilItListens(nginx, port)).destroy();
  return { nginx, port };
}

function readDeployed(upstream: Upstream): string {
  // The receivers of these tests are as while every question is open, whatever is answered by now.
  const read = (name: string): string =>
    readFileSync(join(ROOT, 'deploy', name), 'utf8').replace(
      /(?<=location = ).*(?= \{)/,
      facts.DELIVERY_PATH,
    );
  if (typeof upstream === 'number')
    return replaced(read('nginx.conf'), ['127.0.0.1:3000', `127.0.0.1:${upstream}`]);
  return replaced(
    read('nginx-two-receivers.conf'),
    ['127.0.0.1:3000', `127.0.0.1:${upstream[0]}`],
    ['127.0.0.1:3010', `127.0.0.1:${upstream[1]}`],
  );
}

/** What a user without rights needs besides the part in deploy/. */
function configuration(folder: string, documented: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
pid ${folder}/nginx.pid;
events {}
http {
access_log ${folder}/access.log;
${temporary.join('\n')}
${documented}
}
`;
}

function withoutTls(documented: string): string {
  return documented.replaceAll(/^ *ssl_.*\n/gm, '').replaceAll(/(?<=443) ssl\b/g, '');
}

/** @throws Error if the text doesn't have each part exactly once */
function replaced(text: string, ...replacements: readonly (readonly [part: string, by: string])[]): string {
  return replacements.reduce((changed, [part, by]) => {
    if (changed.split(part).length !== 2)
      throw new Error(`The documented configuration must have ${part} once.`);
    return changed.replace(part, by);
  }, text);
}
