import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterThisFile, freePort, makeFolder } from '@plant-store/test-support';
import { ROOT, succeed } from './run.js';

/** Verdaccio with its own lock file. It isn't part of the workspace: `npm ci` would install 327 packages more. */
const VERDACCIO = join(import.meta.dirname, 'registry');

/** A registry on loopback that has the packages of the workspace, and hands on requests for all others. */
export interface Registry {
  readonly url: string;
  /** The environment in which npm installs from it and publishes to it. */
  readonly env: NodeJS.ProcessEnv;
}

/** Starts Verdaccio. It takes other packages from the registry that npm is configured with. */
export async function startRegistry(): Promise<Registry> {
  await installVerdaccio();
  const folder = makeFolder(afterThisFile);
  const upstream = (await succeed('npm', ['config', 'get', 'registry'], { cwd: ROOT })).trim();
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}/`;
  const configuration = {
    storage: join(folder, 'storage'),
    uplinks: { upstream: { url: upstream } },
    packages: {
      '@plant-store/*': { access: '$all', publish: '$anonymous' },
      '**': { access: '$all', proxy: 'upstream' },
    },
    log: { type: 'stdout', format: 'json', level: 'warn' },
    web: { enable: false },
  };
  // YAML can be written as JSON.
  writeFileSync(join(folder, 'verdaccio.yaml'), JSON.stringify(configuration));
  const program = join(VERDACCIO, 'node_modules/verdaccio/bin/verdaccio');
  const verdaccio = spawn(
    process.execPath,
    [program, '--config', join(folder, 'verdaccio.yaml'), '--listen', address],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const exited = once(verdaccio, 'exit');
  afterThisFile(() => (verdaccio.kill(), exited));
  const lines: string[] = [];
  for await (const line of createInterface(verdaccio.stdout)) {
    lines.push(line);
    if (line.includes('http address')) break;
  }
  if (verdaccio.exitCode !== null) throw new Error(`Verdaccio didn't start:\n${lines.join('\n')}`);
  verdaccio.stdout.resume();
  writeFileSync(
    join(folder, 'npmrc'),
    [
      `@plant-store:registry=${url}`,
      // npm doesn't publish without a token. Verdaccio takes any.
      `//${address}/:_authToken=anybody`,
      'audit=false',
      'fund=false',
      'update-notifier=false',
    ].join('\n'),
  );
  const env = {
    npm_config_registry: url,
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_cache: join(folder, 'cache'),
  };
  return { url, env };
}

async function installVerdaccio(): Promise<void> {
  const installed = join(VERDACCIO, 'node_modules/.package-lock.json');
  const lock = join(VERDACCIO, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(lock).mtimeMs) return;
  await succeed('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: VERDACCIO });
}
