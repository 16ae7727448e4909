/** The packages as they are released, packed and installed. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import { answer, installProjects, type Packed, releaseAndPack } from './packed.js';
import { startReceiver } from './receiver.js';
import { ROOT, run, succeed } from './run.js';

const NAMES = ['contract', 'sdk', 'cli', 'handler'] as const;
const TYPESCRIPTS = ['5.4', '6.0'];

let packed: Packed;
/** The fresh projects. */
let projects: string;

beforeAll(async () => {
  packed = await releaseAndPack('A line for the changelog.');
  projects = await installProjects(packed);
}, 600_000);

/** Runs a program, and returns what it printed. */
const node = (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> =>
  succeed(process.execPath, args, { cwd, env });

const installed = (name: string): string => join(projects, 'node_modules/@plant-store', name);

function manifestIn(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
}

describe('a release', () => {
  const versionOf = (name: string) => manifestIn(installed(name))['version'];

  test('gives all packages one new version, on which they depend exactly', () => {
    const version = versionOf('contract');
    expect(version).not.toBe(manifestIn(join(ROOT, 'libs/contract'))['version']);
    for (const name of NAMES) expect(versionOf(name)).toBe(version);
    expect(manifestIn(installed('sdk'))['dependencies']).toMatchObject({ '@plant-store/contract': version });
    expect(manifestIn(installed('cli'))['dependencies']).toMatchObject({
      '@plant-store/contract': version,
      '@plant-store/sdk': version,
    });
  });

  test('tags the version, and commits it without the plan', async () => {
    const git = async (...args: string[]) => (await succeed('git', args, { cwd: packed.clone })).trim();
    expect(await git('tag', '--points-at', 'HEAD')).toBe(`v${String(versionOf('sdk'))}`);
    expect(await git('ls-files', '.nx')).toBe('');
  });

  test.each(NAMES)('adds the line of the plan to the changelog of %s', (name) => {
    const [, first = ''] = readFileSync(join(installed(name), 'CHANGELOG.md'), 'utf8').split(/^## /m);
    expect(first).toContain(String(versionOf(name)));
    expect(first).toContain('- A line for the changelog.');
  });
});

describe('a tarball', () => {
  test.each(NAMES)('of %s: publint finds nothing', async (name) => {
    const publint = join(ROOT, 'node_modules/publint/src/cli.js');
    const said = await node(
      [publint, 'run', packed.tarballs[NAMES.indexOf(name)]!, '--strict'],
      packed.alone,
    );
    expect(said).toContain('All good!');
  });

  test.each([
    ['contract', ['spec']],
    ['sdk', ['docs']],
    ['cli', ['bin']],
    ['handler', []],
  ])('of %s, packed from a clone that was not built, has these files and no others', (name, folders) => {
    const library = join(ROOT, 'libs', name);
    const modules = filesIn(join(library, 'src')).filter((file) => !file.endsWith('.test.ts'));
    // Nobody imports the command.
    const types = name === 'cli' ? [] : ['d.ts', 'd.ts.map'];
    const compiled = modules.flatMap((file) => [
      `src/${file}`,
      ...[...types, 'js', 'js.map'].map((extension) => `dist/${file.slice(0, -3)}.${extension}`),
    ]);
    const others = folders.flatMap((folder) =>
      filesIn(join(library, folder)).map((file) => `${folder}/${file}`),
    );
    expect(filesIn(installed(name)).sort()).toEqual(
      [...compiled, ...others, 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'].sort(),
    );
  });

  test('is not made if the package does not compile', async () => {
    const folder = makeFolder();
    const project = join(packed.clone, 'libs/sdk');
    appendFileSync(join(project, 'src/index.ts'), "export const number: number = 'text';\n");
    const { code } = await run('npm', ['pack', '--pack-destination', folder], { cwd: project });
    expect(code).not.toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  function filesIn(folder: string): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  }
});

describe('npm publish', () => {
  const publish = (npmrc: string) => {
    const file = join(makeFolder(), 'npmrc');
    writeFileSync(file, npmrc);
    const env = { npm_config_userconfig: file, npm_config_fetch_retries: '0' };
    return run('npm', ['publish', '--dry-run'], { cwd: join(packed.clone, 'libs/contract'), env });
  };

  test('refuses to publish without a registry', async () => {
    const { code, stderr } = await publish('');
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'Not published: npm has no registry for @plant-store. Set it: npm config set @plant-store:registry ADDRESS',
    );
  });

  test('refuses the public registry', async () => {
    const nothing = ['--userconfig=no-such-file', '--globalconfig=nor-this-one'];
    const registry = await succeed('npm', ['config', 'get', 'registry', ...nothing], { cwd: ROOT });
    const { code, stderr } = await publish(`@plant-store:registry=${registry}`);
    expect(code).not.toBe(0);
    expect(stderr).toContain('Not published: @plant-store:registry is the public registry');
  });

  test('takes another registry', async () => {
    expect(await publish('@plant-store:registry=http://127.0.0.1:9/')).toMatchObject({ code: 0 });
  });
});

describe('a project with the SDK alone', () => {
  test('has these packages and no others: undici, Valibot and the types of Node.js', () => {
    // An answer with a schema also brings the schema's library.
    const { packages } = JSON.parse(readFileSync(join(packed.alone, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dependencies?: Record<string, string> }>;
    };
    const answered = Object.keys(manifestIn(join(ROOT, 'libs/contract'))['dependencies'] as object);
    expect(Object.keys(packages['node_modules/@plant-store/sdk']?.dependencies ?? {})).toEqual([
      '@plant-store/contract',
      '@types/node',
      'undici',
    ]);
    if (answered.length > 1) return;
    const names = Object.keys(packages).filter((path) => path !== '');
    expect(names.map((path) => path.replace('node_modules/', '')).sort()).toEqual([
      '@plant-store/contract',
      '@plant-store/sdk',
      '@types/node',
      'undici',
      'undici-types',
      'valibot',
    ]);
  });

  test.each([
    ['es2022', 'bundler'],
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['commonjs', 'node10'],
  ])('has every type that its entry points need, for %s with %s', async (module, resolution) => {
    const entries = ['sdk', 'contract'].flatMap((name) =>
      Object.keys(manifestIn(installed(name))['exports'] as object)
        .filter((entry) => !['./nest', './package.json'].includes(entry))
        .map((entry) => join('@plant-store', name, entry)),
    );
    const lines = entries.map((entry, index) => `export * as entry${index} from '${entry}';`);
    writeFileSync(join(packed.alone, 'entries.ts'), lines.join('\n'));
    const args = [
      ...['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022', '--module', module],
      ...['--moduleResolution', resolution, '--lib', 'es2022'],
      ...(resolution === 'node10' ? ['--ignoreDeprecations', '6.0'] : []),
    ];
    await node([join(ROOT, 'node_modules/typescript/bin/tsc'), ...args, 'entries.ts'], packed.alone);
  });

  test.each(['outbox', 'nest', 'testing'])('imports %s', async (entry) => {
    const program = `console.log(Object.keys(await import('@plant-store/sdk/${entry}')).length > 0)`;
    expect(await node(['--input-type=module', '--eval', program], packed.alone)).toBe('true\n');
  });

  test('sends with the example of the README', async () => {
    const { url, contents } = await startReceiver();
    const readme = readFileSync(join(packed.alone, 'node_modules/@plant-store/sdk/README.md'), 'utf8');
    const [, example = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
    writeFileSync(join(packed.alone, 'send.mjs'), example);
    const output = await node(['send.mjs'], packed.alone, { RECEIVER_URL: url, ACCESS_TOKEN: 'token' });
    expect(output).toBe('acknowledged with 204\n');
    expect(contents).toEqual(['Bearer token {"arbitrary":"content"}']);
  });
});

describe.each([
  ['esm', 'the newest Nest'],
  ['commonjs', 'the oldest Nest'],
])('a project in %s', (project, nest) => {
  const runScript = (...args: readonly string[]) => node(args, join(projects, project));

  test('sends a plant', async () => {
    const { url, contents } = await startReceiver();
    expect(await runScript('send.js', url)).toBe('204\n');
    expect(contents).toEqual([`Bearer token {"from":"${project}"}`]);
  });

  test(`sends a plant from an application of ${nest}, and closes it`, async () => {
    const { url, contents } = await startReceiver();
    expect(await runScript('nest.js', url)).toBe('204\n');
    expect(contents).toEqual([`Bearer token {"from":"${project}"}`]);
  });
});

test('import and require give one instance', async () => {
  expect(await node(['one-instance.js'], join(projects, 'commonjs'))).toBe('one instance\n');
});

const BUNDLERS = ['esbuild to CommonJS', 'esbuild to ESM', 'webpack'];

/** Bundles an application, and runs it without any package. */
async function runBundled(bundler: string, entry: string, ...args: readonly string[]): Promise<string> {
  const output = join(makeFolder(), bundler === 'esbuild to ESM' ? 'application.mjs' : 'application.cjs');
  await node(['bundle.js', bundler, entry, output], join(projects, 'esm'));
  return node([output, ...args], tmpdir());
}

test.each(BUNDLERS)('an application bundled with %s sends a plant', async (bundler) => {
  const { url, contents } = await startReceiver();
  expect(await runBundled(bundler, './send.js', url)).toBe('204\n');
  expect(contents).toEqual(['Bearer token {"from":"esm"}']);
});

test('Vitest runs tests with a fake sender', async () => {
  await node(['../node_modules/vitest/vitest.mjs', 'run'], join(projects, 'vitest'));
});

test('a fake sender tests', async () => {
  expect(await node(['testing.js'], join(projects, 'esm'))).toBe('esm\n');
});

withPostgres('with PostgreSQL', () => {
  test('the outbox finds its SQL, and delivers', async () => {
    const { url, contents } = await startReceiver();
    const database = await (await postgresOfThisFile()).createDatabase();
    expect(await node(['outbox.js', url, database], join(projects, 'esm'))).toBe('delivered\n');
    expect(contents).toEqual(['Bearer token {"from":"esm"}']);
  });

  test('a relay asks `retry` about a failure of a sender of another copy of the SDK', async () => {
    const { url } = await startReceiver(503);
    const database = await (await postgresOfThisFile()).createDatabase();
    const output = await node(['two-copies.js', url, database], join(projects, 'esm'));
    expect(output).toBe('PLANT_STORE_NOT_ACKNOWLEDGED\n');
  });

  test.each(BUNDLERS)('an outbox bundled with %s finds its SQL, and delivers', async (bundler) => {
    const { url, contents } = await startReceiver();
    const database = await (await postgresOfThisFile()).createDatabase();
    expect(await runBundled(bundler, './outbox.js', url, database)).toBe('delivered\n');
    expect(contents).toEqual(['Bearer token {"from":"esm"}']);
  });
});

test('the command sends a plant', async () => {
  const { url, contents } = await startReceiver();
  const args = ['send', 'package.json', '--base-url', url, '--method', 'POST'];
  await succeed('../node_modules/.bin/plant-store', [...args, '--content-type', 'application/json'], {
    cwd: join(projects, 'esm'),
    env: { ACCESS_TOKEN: 'token' },
  });
  expect(contents).toEqual([`Bearer token ${readFileSync(join(projects, 'esm/package.json'), 'utf8')}`]);
});

describe('Jest in CommonJS mode', () => {
  const runJest = (project: string, url: string) =>
    node([join(ROOT, 'node_modules/jest/bin/jest.js')], join(projects, project), { RECEIVER_URL: url });

  test('sends a plant with the transform of the README, and runs tests with a fake sender', async () => {
    const { url, contents } = await startReceiver();
    await runJest('jest-transform', url);
    expect(contents).toEqual(['Bearer token {"from":"jest"}']);
  });

  test('refuses ES modules without a transform, as the README says', async () => {
    await expect(runJest('jest', 'http://127.0.0.1:1')).rejects.toThrow('Must use import to load ES Module');
  });
});

/** What a version of TypeScript says. With `nodenext`, it checks the declarations of all packages, too. */
async function compile(
  version: string,
  folder: string,
  files: readonly string[],
  resolution: string,
): Promise<string> {
  const compiler =
    version === '5.4' ? join(projects, 'node_modules/typescript-5.4') : `${ROOT}/node_modules/typescript`;
  const module = { bundler: 'es2022', node10: 'commonjs' }[resolution] ?? resolution;
  const { stdout } = await run(
    process.execPath,
    [
      join(compiler, 'bin/tsc'),
      ...['--strict', '--target', 'es2022', '--types', 'node'],
      ...['--skipLibCheck', String(resolution !== 'nodenext')],
      ...['--module', module, '--moduleResolution', resolution, '--outDir', resolution],
      ...(resolution === 'node10' && version === '6.0' ? ['--ignoreDeprecations', '6.0'] : []),
      ...files,
    ],
    { cwd: folder },
  );
  // The declarations of pg's own packages need TypeScript 5.7.
  return stdout.replaceAll(/^\.\.\/node_modules\/pg-protocol\/.*\n/gm, '');
}

describe.each(TYPESCRIPTS)('TypeScript %s', (version) => {
  test.each(['node16', 'nodenext', 'bundler'])(
    'compiles an ES module with %s, which sends, and all entry points',
    async (resolution) => {
      const folder = join(projects, 'typescript');
      expect(await compile(version, folder, ['send.ts', 'entries.ts'], resolution)).toBe('');
      await sends(join(folder, resolution, 'send.js'), 'typescript');
    },
  );

  const refused = version === '5.4' ? ['node16', 'nodenext'] : ['node16'];
  test.each(['node16', 'nodenext', 'node10'])(
    'compiles CommonJS with %s, or refuses it, as the README says',
    async (resolution) => {
      const folder = join(projects, 'typescript-commonjs');
      const faults = await compile(version, folder, ['send.ts'], resolution);
      if (refused.includes(resolution)) return expect(faults).toContain('error TS1479');
      expect(faults).toBe('');
      return sends(join(folder, resolution, 'send.js'), 'typescript');
    },
  );

  test('compiles CommonJS with node16 that imports it with import(), and sends', async () => {
    const folder = join(projects, 'typescript-commonjs');
    expect(await compile(version, folder, ['import.ts'], 'node16')).toBe('');
    await sends(join(folder, 'node16/import.js'), 'import');
  });

  async function sends(file: string, from: string): Promise<void> {
    const { url, contents } = await startReceiver();
    expect(await node([file, url], projects)).toContain('204\n');
    expect(contents).toEqual([`Bearer token {"from":"${from}"}`]);
  }
});

test('an answer in the contract reaches the installed sender and its types', async () => {
  const by = "who: 'Nobody', on: '2026-01-31', why: 'An example.'";
  answer(
    packed.alone,
    `{ 'http-method': { is: 'PUT', ${by} }, 'event-identity': { is: { header: 'example-id' }, ${by} } }`,
  );
  const source = `import { createNewPlantSender, json } from '@plant-store/sdk';
    const sender = createNewPlantSender({ baseUrl: 'http://127.0.0.1:9', accessToken: 'token', encode: json });
    export const send = () => sender.send({ arbitrary: 'content' }, { eventId: 'example' });
    // @ts-expect-error the identifier of the event is required
    export const without = () => sender.send({ arbitrary: 'content' });`;
  writeFileSync(join(packed.alone, 'answered.ts'), source);
  const args = ['--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
  const roots = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  await node([join(ROOT, 'node_modules/typescript/bin/tsc'), ...args, ...roots, 'answered.ts'], packed.alone);
  const program =
    "import('./answered.js').then(({ without }) => without().catch(({ code }) => console.log(code)))";
  expect(await node(['--eval', program], packed.alone)).toBe('PLANT_STORE_INVALID_OPTIONS\n');
});
