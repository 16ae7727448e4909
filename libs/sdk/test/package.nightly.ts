import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acknowledge, type RawServer, startRawServer } from './support/raw-server.js';
import { startProcess } from './support/run-process.js';
import { accessToken } from './support/senders.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const timeout = 120_000;
let project: string;
/** What is packed. */
let clone: string;
let tarballs: readonly string[];

async function succeed(command: string, args: readonly string[], cwd: string, env = {}): Promise<string> {
  const { code, stdout, stderr } = await startProcess(command, args, { cwd, env }).finished;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** Copies the libraries without what is built, as a new clone has them after `npm ci`. */
async function cloneUnbuilt(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-clone-'));
  const isBuilt = /^libs\/\w[\w-]*\/(?:dist|out-tsc|test-output|node_modules)(?:\/|$)/;
  const libraries = ['contract', 'example-answers', 'sdk'];
  const filter = (path: string): boolean => !isBuilt.test(relative(root, path));
  for (const library of libraries) {
    await cp(join(root, 'libs', library), join(folder, 'libs', library), { recursive: true, filter });
  }
  const script = 'tools/workspace/package/before-publish.mjs';
  for (const file of ['.npmrc', 'package.json', 'tsconfig.base.json', script]) {
    await cp(join(root, file), join(folder, file));
  }
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@plant-store'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@plant-store') await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  for (const library of libraries) {
    await symlink(join(folder, 'libs', library), join(modules, '@plant-store', library));
    const own = join('libs', library, 'node_modules');
    if (existsSync(join(root, own))) await symlink(join(root, own), join(folder, own));
  }
  return folder;
}

/** Runs the commands of the README that pack and install the packages without a registry. */
async function packAndInstall(): Promise<void> {
  const readme = readFileSync(join(root, 'libs/sdk/README.md'), 'utf8');
  const [, commands] = /```sh\n(cd "\$REPOSITORY"\n.*?)```/s.exec(readme)!;
  // What `npm ci` installs is linked.
  await succeed('sh', ['-e', '-c', commands!.replace('npm ci\n', '')], project, {
    REPOSITORY: clone,
    PROJECT: project,
    npm_config_prefer_offline: 'true',
  });
}

const filesOf = (name: string): Promise<string[]> => filesIn(join(project, 'node_modules', name));

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'plant-store-package-'));
  clone = await cloneUnbuilt();
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  await packAndInstall();
  tarballs = (await readdir(project))
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(project, name));
  await answer('{}');
}, timeout);

/** Replaces the answers of the installed contract. */
async function answer(answers: string): Promise<void> {
  const module = join(project, 'node_modules/@plant-store/contract/dist/answers');
  await writeFile(`${module}.js`, `export const answers = ${answers};`);
  await writeFile(`${module}.d.ts`, `export declare const answers: ${answers};`);
}

afterAll(() => Promise.all([project, clone].map((folder) => rm(folder, { recursive: true }))));

function environment({ url }: RawServer): NodeJS.ProcessEnv {
  return { RECEIVER_URL: url, ACCESS_TOKEN: accessToken };
}

test('publint finds nothing in the tarballs', async () => {
  const publint = join(root, 'node_modules/publint/src/cli.js');
  for (const tarball of tarballs) {
    expect(await succeed(process.execPath, [publint, 'run', tarball, '--strict'], project)).toContain(
      'All good!',
    );
  }
});

test("the SDK's tarball, packed from a clone that wasn't built, has these files and no others", async () => {
  const sources = await filesIn(join(root, 'libs/sdk/src'));
  const modules = sources.filter((file) => !file.endsWith('.test.ts')).map((file) => file.slice(0, -3));
  const compiled = modules.flatMap((module) => [
    `src/${module}.ts`,
    ...['d.ts', 'd.ts.map', 'js', 'js.map'].map((extension) => `dist/${module}.${extension}`),
  ]);
  const pages = (await filesIn(join(root, 'libs/sdk/docs'))).map((page) => `docs/${page}`);
  const statements = (await filesIn(join(root, 'libs/sdk/sql'))).map((file) => `sql/${file}`);
  const others = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];

  expect(await filesOf('@plant-store/sdk')).toEqual(
    [...compiled, ...pages, ...statements, ...others].toSorted(),
  );
});

test('npm publish refuses the public registry', async () => {
  const nothing = ['--userconfig=no-such-file', '--globalconfig=nor-this-one'];
  const registry = await succeed('npm', ['config', 'get', 'registry', ...nothing], project);
  const npmrc = join(project, 'npmrc');
  await writeFile(npmrc, `@plant-store:registry=${registry}`);

  const { code, stderr } = await startProcess('npm', ['publish', '--dry-run'], {
    cwd: join(clone, 'libs/contract'),
    env: { npm_config_userconfig: npmrc },
  }).finished;

  expect(code).not.toBe(0);
  expect(stderr).toContain('Not published: @plant-store:registry is the public registry');
});

test('the sources of a source map are in the tarball', async () => {
  for (const name of ['@plant-store/contract', '@plant-store/sdk']) {
    const files = await filesOf(name);
    const maps = files.filter((file) => file.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(0);
    for (const map of maps) {
      const { sources } = JSON.parse(readFileSync(join(project, 'node_modules', name, map), 'utf8')) as {
        sources: string[];
      };
      for (const source of sources) expect(files).toContain(join(map, '..', source));
    }
  }
});

test("the README's example sends, and loads no schema library: only the checks of answers need it", async () => {
  const server = await startRawServer(acknowledge);
  const readme = readFileSync(join(project, 'node_modules/@plant-store/sdk/README.md'), 'utf8');
  const [, example] = /```js\n([\s\S]*?)```/.exec(readme)!;
  const others = ['outbox', 'testing'].map((entry) => `import '@plant-store/sdk/${entry}';\n`);
  await writeFile(join(project, 'example.mjs'), others.join('') + example!);
  const library = join(project, 'node_modules/valibot');
  await rename(library, `${library}.away`);
  try {
    const output = await succeed(process.execPath, ['example.mjs'], project, environment(server));
    expect(output).toBe('acknowledged with 204\n');
  } finally {
    await rename(`${library}.away`, library);
  }

  const { line, content } = await server.request(0);
  expect(line).toBe('POST /plant/webhook HTTP/1.1');
  expect(JSON.parse(content.toString())).toEqual({ arbitrary: 'content' });
});

test(
  'an answer in the contract reaches the installed sender and its types',
  async () => {
    await answer(`{ 'http-method': 'PUT', 'event-identity': { header: 'example-id' } }`);
    const server = await startRawServer(acknowledge);
    const example = `const sender = createNewPlantSender({
         baseUrl: process.env.RECEIVER_URL ?? '', accessToken: process.env.ACCESS_TOKEN ?? '', encode: json });
       await sender.send({ arbitrary: 'content' }, { eventId: 'example' });`;
    const imports = `import { createNewPlantSender, json } from '@plant-store/sdk';`;
    await writeFile(join(project, 'answered.mjs'), `${imports} ${example} await sender.close();`);

    await compile(`${imports} ${example}
       import { jsonSchema } from '@plant-store/contract/json-schema';
       const { types } = jsonSchema<{ name: string }>({ compile: () => () => true }, {})['~standard'];
       export const plant: { name: string } | undefined = types?.input;
       // @ts-expect-error the identifier of the event is required
       await sender.send({ arbitrary: 'content' });`);
    await succeed(process.execPath, ['answered.mjs'], project, environment(server));

    const { line, headers } = await server.request(0);
    expect(line).toBe('PUT /plant/webhook HTTP/1.1');
    expect(headers).toContain('example-id: example');
  },
  timeout,
);

async function compile(source: string): Promise<void> {
  await writeFile(join(project, 'example.mts'), source);
  const types = join(root, 'node_modules/@types');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node', '--typeRoots', types];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await succeed(process.execPath, [compiler, ...flags, 'example.mts'], project);
}
