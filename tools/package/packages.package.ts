/** The packages as they are packed and installed: in an ES module, in CommonJS, in a bundle, under the strict compiler. */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { installPacked, PACKAGES, ROOT, run, runTool, tarballOf } from './project.js';

/** A project in which the packages are installed, and nothing that is optional. */
let project: string;

beforeAll(async () => {
  project = await installPacked();
}, 300_000);

const installed = (name: string): string => join(project, 'node_modules/@plant-store', name);

interface Manifest {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8')) as Manifest;

/** A receiver that acknowledges everything, and keeps the contents with their credentials. */
async function startReceiver(): Promise<{ url: string; contents: string[] }> {
  const contents: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((content) => {
      contents.push(`${request.headers.authorization} ${content}`);
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, contents };
}

describe.each(PACKAGES)('the tarball of %s', (name) => {
  test('publint finds nothing', async () => {
    const output = await runTool('publint', ['run', tarballOf(project, name), '--strict'], project);
    expect(output).toContain('All good!');
  });

  test('has its changelog and license, what it was compiled from, and no test', () => {
    const files = readdirSync(installed(name), { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json', 'src']),
    );
    expect(
      files.filter((file) => /(^|\/)(test|fixtures)\/|\.(test|suite)\.|tsbuildinfo$/.test(file)),
    ).toEqual([]);
  });
});

// Nobody imports the command. CommonJS gets ES modules: docs/explanation/decisions.md#one-build-in-one-version.
test.each(PACKAGES.filter((name) => name !== 'cli'))('are the types of %s wrong?', async (name) => {
  const options = ['--profile', 'strict', '--ignore-rules', 'cjs-resolves-to-esm', '--format', 'ascii'];
  const output = await runTool('attw', [tarballOf(project, name), ...options], project);
  expect(output).toContain('No problems found');
});

test('the packages have one version, on which they depend exactly, and only the dependencies that they need', () => {
  const { version } = manifestOf('contract');
  const own = { '@plant-store/contract': version };
  expect(PACKAGES.map((name) => manifestOf(name).version)).toEqual(PACKAGES.map(() => version));
  expect(manifestOf('sdk').dependencies).toEqual({
    ...own,
    '@types/node': expect.any(String) as string,
    undici: expect.any(String) as string,
  });
  expect(manifestOf('cli').dependencies).toMatchObject({ ...own, '@plant-store/sdk': version });
});

test('the packages need a version of Node.js in which require takes ES modules', () => {
  const needed = { node: '^20.19.0 || >=22.12.0' };
  expect(PACKAGES.map((name) => manifestOf(name).engines)).toEqual(PACKAGES.map(() => needed));
});

test('the packages are installed beside any version of a package that is optional', async () => {
  const folder = makeFolder();
  const others = ['@nestjs/common', 'pg'];
  const dependencies = others.map((name, index) => {
    mkdirSync(join(folder, `${index}`));
    writeFileSync(join(folder, `${index}/package.json`), JSON.stringify({ name, version: '1.0.0' }));
    return [name, `file:${index}`];
  });
  const manifest = { private: true, dependencies: Object.fromEntries(dependencies) as object };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));

  const tarballs = PACKAGES.map((name) => join(project, tarballOf(project, name)));
  const options = ['--dry-run', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, ...tarballs], folder);
});

test('an ES module sends with the example of the README', async () => {
  const { url, contents } = await startReceiver();
  const readme = readFileSync(join(installed('sdk'), 'README.md'), 'utf8');
  const [, example = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
  writeFileSync(join(project, 'send.mjs'), example);
  const env = { RECEIVER_URL: url, ACCESS_TOKEN: 'token' };
  expect(await run(process.execPath, ['send.mjs'], project, env)).toBe('acknowledged with 204\n');
  expect(contents).toEqual(['Bearer token {"arbitrary":"content"}']);
});

test('every entry point loads without the packages that are optional', async () => {
  const entries = Object.keys(manifestOf('sdk').exports).filter((entry) => entry !== './package.json');
  const imports = entries.map((entry) => `await import('${join('@plant-store/sdk', entry)}');`).join('\n');
  await run(process.execPath, ['--input-type=module', '--eval', imports], project);
});

test('the command sends a plant', async () => {
  const { url, contents } = await startReceiver();
  const receiver = ['--base-url', url, '--method', 'POST', '--content-type', 'application/json'];
  const command = join(project, 'node_modules/.bin/plant-store');
  await run(command, ['send', 'package.json', ...receiver], project, { ACCESS_TOKEN: 'token' });
  expect(contents).toEqual([`Bearer token ${readFileSync(join(project, 'package.json'), 'utf8')}`]);
});

test('CommonJS sends, with the same instance as import', async () => {
  const { url, contents } = await startReceiver();
  expect(await run(process.execPath, ['send.cjs', url], project)).toBe('204 one instance\n');
  expect(contents).toEqual(['Bearer token {"arbitrary":"content"}']);
});

test('a bundle sends, without any package', async () => {
  const { url, contents } = await startReceiver();
  const bundle = join(makeFolder(), 'bundle.cjs');
  const options = ['--bundle', '--platform=node', '--minify', `--outfile=${bundle}`];
  await runTool('esbuild', ['send.cjs', ...options], project);
  expect(await run(process.execPath, [bundle, url], ROOT)).toMatch(/^204 /);
  expect(contents).toEqual(['Bearer token {"arbitrary":"content"}']);
});

test('a strict compiler takes every declaration that is installed', async () => {
  const module = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022', '--noEmit'];
  await runTool('tsc', ['--strict', '--skipLibCheck', 'false', ...module, 'strict.ts'], project);
});
