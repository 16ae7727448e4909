import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { cloneWorkingTree, commitAll } from '@plant-store/test-support/clone';
import { ROOT, succeed } from './run.js';

/** A release of the packages, packed. */
export interface Packed {
  /** The clone in which the packages were released. */
  readonly clone: string;
  /** The folder of the tarballs. A project in it has the SDK alone. */
  readonly alone: string;
  /** The paths of the tarballs: contract, SDK, command, types of a handler. */
  readonly tarballs: readonly string[];
}

/**
 * Releases the packages in a clone that isn't built, as docs/how-to/release.md says, but for publishing. Then packs and
 * installs the SDK with the commands of its README, and packs the others.
 */
export async function releaseAndPack(message: string): Promise<Packed> {
  const clone = makeFolder(afterThisFile);
  cloneWorkingTree(ROOT, clone);
  // A daemon would outlive the test.
  const options = { cwd: clone, env: { NX_DAEMON: 'false' } };
  const nx = (...args: string[]): Promise<string> => succeed('node_modules/.bin/nx', args, options);
  await nx('release', 'plan', 'minor', '--only-touched=false', '--message', message);
  commitAll(clone);
  await nx('release', '--skip-publish');

  const alone = makeFolder(afterThisFile);
  writeFileSync(join(alone, 'package.json'), '{ "private": true, "type": "module" }\n');
  const readme = readFileSync(join(ROOT, 'libs/sdk/README.md'), 'utf8');
  const [, commands = ''] = /```sh\n(cd "\$REPOSITORY"\n.*?)```/s.exec(readme) ?? [];
  // What `npm ci` installs is linked.
  await succeed('sh', ['-e', '-c', commands.replace('npm ci\n', '')], {
    cwd: alone,
    env: { REPOSITORY: clone, PROJECT: alone },
  });
  for (const name of ['cli', 'handler'])
    await succeed(
      'npm',
      ['pack', '--workspace', `@plant-store/${name}`, '--pack-destination', alone],
      options,
    );
  const tarballs = ['contract', 'sdk', 'cli', 'handler'].map((name) => {
    const file = readdirSync(alone).find((one) => one.startsWith(`plant-store-${name}-`));
    if (file === undefined) throw new Error(`${name} wasn't packed`);
    return join(alone, file);
  });
  openEveryQuestion(alone);
  return { clone, alone, tarballs };
}

/**
 * Copies the fresh projects, and installs the packages into them: with the newest Nest beside the projects, and with the
 * oldest in the one in CommonJS.
 *
 * @returns the folder of the projects
 */
export async function installProjects({ tarballs }: Packed): Promise<string> {
  const projects = join(makeFolder(afterThisFile), 'projects');
  cpSync(join(import.meta.dirname, 'projects'), projects, { recursive: true });
  for (const folder of [projects, join(projects, 'commonjs')]) {
    await succeed('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs], {
      cwd: folder,
    });
    openEveryQuestion(folder);
  }
  // Jest is the workspace's own, and so is its transform.
  symlinkSync(join(ROOT, 'node_modules/@swc'), join(projects, 'node_modules/@swc'));
  return projects;
}

/** A project sends as callers do while everything is open, whatever is answered on main. */
function openEveryQuestion(project: string): void {
  answer(project, '{}');
}

/** Replaces the answers of an installed contract. */
export function answer(project: string, value: string): void {
  const file = join(project, 'node_modules/@plant-store/contract/dist/answers');
  writeFileSync(`${file}.js`, `export const answers = ${value};\n`);
  writeFileSync(`${file}.d.ts`, `export declare const answers: ${value};\n`);
}
