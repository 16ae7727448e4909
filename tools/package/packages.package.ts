import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { testEntryPoints, testWithoutPeers } from './entry-points.js';
import { startReceiver } from './receiver.js';
import { type Registry, startRegistry } from './registry.js';
import { ADDRESS, release } from './release.js';
import { ROOT, run, succeed } from './run.js';

const NODES = ['20', '22', '24', '26'];
const TYPESCRIPTS = ['5.4', '5.9', '6.0'];

let registry: Registry;
let clone: string;
/** The fresh projects, with one installation for all of them. */
let projects: string;

beforeAll(async () => {
  registry = await startRegistry();
  clone = await release(registry, 'minor', 'A line for the changelog.');
  projects = join(makeFolder(afterThisFile), 'projects');
  cpSync(join(import.meta.dirname, 'projects'), projects, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  await succeed('npm', ['install', '--ignore-scripts'], { cwd: projects, env: registry.env });
  openEveryQuestion();
}, 600_000);

/** The projects send as callers do while everything is open, whatever is answered on main. */
function openEveryQuestion(): void {
  for (const name of ['answers', 'accepts']) {
    const module = join(projects, 'node_modules/@plant-store/contract/dist', name);
    writeFileSync(`${module}.js`, `export const ${name} = {};\n`);
    writeFileSync(`${module}.d.ts`, `export declare const ${name}: {};\n`);
  }
}

/** The program of a version of Node.js, from the package of this machine's platform. */
const node = (version: string): string => join(projects, `node_modules/node-${version}/bin/node`);

function manifestIn(folder: string, name = ''): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as Record<string, unknown>;
}

describe('nx release', () => {
  const versionOf = (library: string) => manifestIn(join(clone, library))['version'];

  test('gives all packages one new version, on which they depend exactly', () => {
    const version = versionOf('libs/contract');
    expect(version).not.toBe(manifestIn(ROOT, 'libs/contract')['version']);
    expect([versionOf('libs/sdk'), versionOf('libs/cli')]).toEqual([version, version]);
    expect(manifestIn(clone, 'libs/sdk')['dependencies']).toMatchObject({ '@plant-store/contract': version });
    expect(manifestIn(clone, 'libs/cli')['dependencies']).toMatchObject({
      '@plant-store/contract': version,
      '@plant-store/sdk': version,
    });
  });

  test('tags the version, and commits it without the plan', async () => {
    const git = async (...args: string[]) => (await succeed('git', args, { cwd: clone })).trim();
    expect(await git('tag', '--points-at', 'HEAD')).toBe(`v${String(versionOf('libs/sdk'))}`);
    expect(await git('ls-files', '.nx')).toBe('');
  });

  test.each(['contract', 'sdk', 'cli'])('adds the line of the plan to the changelog of %s', (library) => {
    const published = readFileSync(
      join(projects, 'node_modules/@plant-store', library, 'CHANGELOG.md'),
      'utf8',
    );
    const [, first = ''] = published.split(/^## /m);
    expect(first).toContain(String(versionOf('libs/sdk')));
    expect(first).toContain('- A line for the changelog.');
  });

  test.each(['contract', 'sdk', 'cli'])('publishes %s with the address of the repository', (library) => {
    expect(manifestIn(join(projects, 'node_modules/@plant-store', library))).toMatchObject({
      repository: { url: `git+${ADDRESS}.git`, directory: `libs/${library}` },
      bugs: { url: `${ADDRESS}/issues` },
      homepage: `${ADDRESS}/tree/main/libs/${library}#readme`,
    });
  });

  test.each(['contract', 'sdk', 'cli'])('does not publish %s without a registry for it', async (library) => {
    const env = { ...registry.env, npm_config_userconfig: '/dev/null' };
    const { code, stderr } = await run('npm', ['publish'], { cwd: join(clone, 'libs', library), env });
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'Not published: npm has no registry for @plant-store. Set it: npm config set @plant-store:registry ADDRESS',
    );
  });
});

describe('npm pack without a build', () => {
  const pack = async (library: string) => {
    rmSync(join(clone, 'libs', library, 'dist'), { recursive: true, force: true });
    return run('npm', ['pack', '--dry-run', '--json'], {
      cwd: join(clone, 'libs', library),
      env: registry.env,
    });
  };

  test.each(['contract', 'sdk', 'cli'])('builds %s first', async (library) => {
    const { code, stdout } = await pack(library);
    expect(code).toBe(0);
    expect(stdout).toContain('"path": "dist/');
  });

  test('fails if the package does not compile', async () => {
    appendFileSync(join(clone, 'libs/sdk/src/index.ts'), "export const number: number = 'text';\n");
    expect((await pack('sdk')).code).not.toBe(0);
  });
});

describe.each(NODES)('on Node.js %s', (version) => {
  test.each(['esm', 'commonjs'])('a project in %s sends a plant', async (project) => {
    const { url, contents } = await startReceiver();
    const output = await succeed(node(version), ['send.js', url], { cwd: join(projects, project) });
    expect(output).toBe('204\n');
    expect(contents).toEqual([`Bearer token {"from":"${project}"}`]);
  });

  test('import and require give one instance', async () => {
    const output = await succeed(node(version), ['one-instance.js'], { cwd: join(projects, 'commonjs') });
    expect(output).toBe('one instance\n');
  });

  testEntryPoints(
    () => node(version),
    () => ({ projects, env: registry.env }),
  );

  test('the command sends a plant', async () => {
    const { url, contents } = await startReceiver();
    const command = join(projects, 'node_modules/@plant-store/cli/bin/plant-store.js');
    const args = ['send', 'package.json', '--base-url', url, '--method', 'POST'];
    await succeed(node(version), [command, ...args, '--content-type', 'application/json'], {
      cwd: join(projects, 'esm'),
      env: { ACCESS_TOKEN: 'token' },
    });
    expect(contents).toEqual([`Bearer token ${readFileSync(join(projects, 'esm/package.json'), 'utf8')}`]);
  });

  test('Jest in CommonJS mode sends a plant, and uses a fake sender, with the transform of the README', async () => {
    const { url, contents } = await startReceiver();
    await runJest('jest-transform', url);
    expect(contents).toEqual(['Bearer token {"from":"jest"}']);
  });

  test('Jest in CommonJS mode refuses ES modules without a transform, as the README says', async () => {
    await expect(runJest('jest', 'http://127.0.0.1:1')).rejects.toThrow('Must use import to load ES Module');
  });

  function runJest(project: string, url: string): Promise<string> {
    return succeed(node(version), ['../node_modules/jest/bin/jest.js'], {
      cwd: join(projects, project),
      env: { RECEIVER_URL: url },
    });
  }
});

describe('a project with the SDK alone', () => {
  testWithoutPeers(() => ({ projects, env: registry.env }));
});

describe.each(TYPESCRIPTS)('TypeScript %s', (version) => {
  test.each(['node16', 'nodenext', 'bundler'])(
    'compiles an ES module with %s, which sends, and all entry points',
    async (resolution) => {
      const folder = join(projects, 'typescript');
      expect(await compile(folder, ['send', 'entries'], resolution)).toBe('');
      await sends(join(folder, resolution, 'send.js'), 'typescript');
    },
  );

  const refused = version === '5.4' ? ['node16', 'nodenext'] : ['node16'];
  test.each(['node16', 'nodenext'])(
    'compiles CommonJS with %s, or refuses it, as the README says',
    async (resolution) => {
      const folder = join(projects, 'typescript-commonjs');
      const faults = await compile(folder, ['send'], resolution);
      if (refused.includes(resolution)) return expect(faults).toContain('error TS1479');
      expect(faults).toBe('');
      return sends(join(folder, resolution, 'send.js'), 'typescript');
    },
  );

  test('compiles CommonJS with node16 that imports it with import(), and sends', async () => {
    const folder = join(projects, 'typescript-commonjs');
    expect(await compile(folder, ['import'], 'node16')).toBe('');
    await sends(join(folder, 'node16/import.js'), 'import');
  });

  /** What the compiler says. With `nodenext`, it checks the declarations of all packages, too. */
  async function compile(folder: string, files: readonly string[], resolution: string): Promise<string> {
    const module = resolution === 'bundler' ? 'es2022' : resolution;
    const { stdout } = await run(
      process.execPath,
      [
        join(projects, `node_modules/typescript-${version}/bin/tsc`),
        ...['--strict', '--target', 'es2022', '--types', 'node'],
        ...['--skipLibCheck', String(resolution !== 'nodenext')],
        ...['--module', module, '--moduleResolution', resolution, '--outDir', resolution],
        ...files.map((file) => `${file}.ts`),
      ],
      { cwd: folder },
    );
    // The declarations of pg's own packages need TypeScript 5.7.
    return stdout.replaceAll(/^\.\.\/node_modules\/pg-protocol\/.*\n/gm, '');
  }

  async function sends(file: string, from: string): Promise<void> {
    const { url, contents } = await startReceiver();
    expect(await succeed(process.execPath, [file, url], { cwd: projects })).toContain('204\n');
    expect(contents).toEqual([`Bearer token {"from":"${from}"}`]);
  }
});

test('the SDK brings these packages and no others: undici and Valibot', () => {
  const { packages } = JSON.parse(readFileSync(join(projects, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dependencies?: Record<string, string> }>;
  };
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    // An answer with a schema also brings the schema's library.
    const dependencies = Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {});
    dependencies.filter((one) => name !== '@plant-store/contract' || one === 'valibot').forEach(add);
  };
  add('@plant-store/sdk');
  expect([...found].sort()).toEqual(['@plant-store/contract', '@plant-store/sdk', 'undici', 'valibot']);
});
