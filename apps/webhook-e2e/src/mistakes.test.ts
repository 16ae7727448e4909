import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

import { transformSync } from '@swc/core';
import { afterThisFile, afterThisTest, makeFolder } from '@plant-store/test-support';

import {
  DevelopmentProcess,
  makeWorkspace,
  ROOT,
  SERVE,
  standIn,
  terminal,
  handlerFiles,
} from '../support/development.js';
import { TestProcess } from '../support/process.js';
import { environmentIn } from '../support/receiver.js';

// What people get wrong when they begin. Each mistake gives one message, which says what to do.

/** Copies files of this workspace into a folder. */
function copyFiles(folder: string, ...paths: readonly string[]): void {
  for (const path of paths) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
}

/** Makes a package.json ask for a version of Node.js that doesn't exist yet. */
function needNewerNode(manifest: string): void {
  const { engines, ...others } = JSON.parse(readFileSync(manifest, 'utf8')) as { engines: object };
  writeFileSync(manifest, JSON.stringify({ ...others, engines: { ...engines, node: '>=99.1' } }));
}

describe('before the packages are there', () => {
  const notInstalled = 'The packages of this workspace are not installed. Run npm ci first.\n';
  const tooOld = `This workspace needs Node.js 99.1 or newer (this is ${process.versions.node}). Install it, for example with "nvm install".\n`;

  test.each([
    { name: 'npm start before npm ci', prepare: () => undefined, want: notInstalled },
    {
      name: 'npm start after an npm ci that was interrupted',
      prepare: (folder: string) => mkdirSync(join(folder, 'node_modules')),
      want: notInstalled,
    },
    {
      name: 'npm start with an older Node.js',
      prepare: (folder: string) => needNewerNode(join(folder, 'package.json')),
      want: tooOld,
    },
  ])('$name', async ({ prepare, want }) => {
    const folder = makeFolder();
    copyFiles(folder, 'package.json', 'tools/workspace/ready.mjs');
    prepare(folder);

    const start = new TestProcess(['npm', 'start'], { folder, environment: terminal() });

    expect(await start.exit).toEqual({ code: 1, signal: null });
    expect(start.stderr).toBe(want);
  });

  test.each([
    { name: 'plant-inbox', project: 'apps/webhook' },
    { name: 'plant-store', project: 'libs/cli' },
  ])('$name with an older Node.js', async ({ name, project }) => {
    const folder = makeFolder();
    copyFiles(folder, `${project}/bin`, `${project}/package.json`);
    needNewerNode(join(folder, project, 'package.json'));

    const command = new TestProcess([process.execPath, join(folder, project, `bin/${name}.js`)], {
      environment: terminal(),
    });

    expect(await command.exit).toEqual({ code: 5, signal: null });
    expect(command.output).toBe(
      `${name}: Node.js 99.1 or newer is needed (this is ${process.versions.node}). Install it, for example with "nvm install 99.1".\n`,
    );
  });
});

describe('npm start', () => {
  test('as another user than the one who owns its files', async () => {
    const folder = makeWorkspace(standIn.receiver('first'));
    mkdirSync(join(folder, 'data'), { mode: 0o500 });
    // Root may write everywhere, unless it gives up that capability.
    const asUser = process.getuid?.() === 0 ? 'setpriv --bounding-set=-dac_override,-dac_read_search' : '';

    const served = new TestProcess(
      ['/bin/sh', '-c', `exec ${asUser} "$0" "$1"`, process.execPath, join(SERVE, 'serve.mjs')],
      { folder, environment: terminal() },
    );

    expect(await served.exit).toEqual({ code: 1, signal: null });
    expect(served.stderr).toBe(
      'data/access-tokens may not be written by this user. Run npm start as the user who owns it, or make the whole folder yours: sudo chown -R "$USER" .\n',
    );
  });

  test('in a folder with spaces and umlauts, without git', async () => {
    const folder = join(makeFolder(), 'Zimmer Pflänzchen');
    mkdirSync(folder);
    makeWorkspace(standIn.receiver('first'), folder);

    const served = DevelopmentProcess.start(folder, { PATH: makeFolder() });

    expect(await (await fetch(await served.listening())).text()).toBe('first');
    await served.printed(/^The types are checked: no errors\.$/);
    expect(served.stderr).toBe('');
  });

  test('has the settings of nx serve webhook, whichever file they are in', async () => {
    const folder = makeWorkspace(
      `declare const console: any, process: any;\nconsole.error(process.env.PORT, process.env.OPERATIONS_PORT);\nprocess.exit(1);\n`,
    );
    copyFiles(folder, 'nx.json', 'package.json', 'tools/workspace/ready.mjs', 'apps/webhook/package.json');
    symlinkSync(SERVE, join(folder, 'apps/webhook/serve'));
    writeFileSync(join(folder, '.env'), 'PORT=1\n');
    writeFileSync(join(folder, '.env.local'), 'OPERATIONS_PORT=2\n');
    writeFileSync(join(folder, 'apps/webhook/.env'), 'PORT=3\n');
    const { PATH = '', HOME = '' } = process.env;
    const environment = { PATH, HOME, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false' };
    const nx = join(ROOT, 'node_modules/.bin/nx');

    for (const command of [
      ['npm', 'start'],
      [nx, 'serve', 'webhook'],
    ] as const) {
      const served = new TestProcess(command, { folder, environment });
      afterThisTest(() => served.stop());
      expect(await served.exit).toEqual({ code: 1, signal: null });
      expect(served.output).toContain('3 2\n');
    }
  });
});

describe('a handler that cannot start', () => {
  const HANDLER = 'apps/webhook/handler/new-plant.handler.ts';
  const imports = `import { Injectable } from '@nestjs/common';\nimport { Delivery } from '@plant-store/handler';\n`;
  const handle = 'handle(_delivery: Delivery): void {}';

  let workspace: ReturnType<typeof makeReceiver> | undefined;

  const advice = 'Fix FOLDER/apps/webhook/dist/handler/index.js, or what it imports.';
  const injecting =
    'What it injects must be among the providers of the HandlerModule that it exports, or exported by a module that is imported there; an interface cannot be injected.';

  test.each<{ name: string; source: string; want: string; place?: string }>([
    {
      name: 'a provider is missing',
      source: `@Injectable()\nclass Catalog {}\n@Injectable()\nexport class NewPlantHandler {\n  constructor(readonly catalog: Catalog) {}\n  ${handle}\n}\n`,
      want: `Nest can't resolve dependencies of the NewPlantHandler (?). Please make sure that the argument Catalog at index [0] is available in the HandlerModule module. ${advice} ${injecting}`,
    },
    {
      name: 'a package is missing',
      source: `import plants from 'no-such-package';\nexport class NewPlantHandler {\n  readonly plants = plants;\n  ${handle}\n}\n`,
      want: `Cannot find package 'no-such-package' imported from FOLDER/apps/webhook/dist/handler/new-plant.handler.js. ${advice}`,
    },
    {
      name: 'the class has another name',
      source: `@Injectable()\nexport class PlantHandler {\n  ${handle}\n}\n`,
      want: `The requested module './new-plant.handler.js' does not provide an export named 'NewPlantHandler'. ${advice}`,
      place: 'FOLDER/apps/webhook/handler/index.ts:2',
    },
    {
      name: 'the class has no method handle',
      source: '@Injectable()\nexport class NewPlantHandler {}\n',
      want: 'NewPlantHandler has no method "handle". Add it, or correct HANDLER.',
    },
    {
      name: 'the constructor throws',
      source: `@Injectable()\nexport class NewPlantHandler {\n  constructor() {\n    throw new Error('CATALOG_URL is not set.');\n  }\n  ${handle}\n}\n`,
      want: `CATALOG_URL is not set. ${advice}`,
      place: `at new NewPlantHandler (FOLDER/${HANDLER}:6:11)`,
    },
    {
      name: 'what it awaits rejects, with a cause',
      source: `await Promise.reject(new Error('no catalog', { cause: new Error('no network') }));\n@Injectable()\nexport class NewPlantHandler {\n  ${handle}\n}\n`,
      want: `no catalog, caused by Error: no network. ${advice}`,
      place: `at <anonymous> (FOLDER/${HANDLER}:3:22)`,
    },
  ])('$name', async ({ source, want, place }) => {
    const { folder, compile } = await (workspace ??= makeReceiver());
    compile(imports + source);
    const main = join(folder, 'apps/webhook/dist/main.js');

    const receiver = new TestProcess([process.execPath, '--enable-source-maps', main], {
      folder,
      environment: { ...environmentIn(folder), HANDLER: '', PORT: '0' },
    });

    expect(await receiver.exit).toEqual({ code: 1, signal: null });
    expect(receiver.output.replaceAll(folder, 'FOLDER').split('\n')).toEqual([
      `The handler cannot start: ${want} [HANDLER_UNUSABLE]`,
      ...(place === undefined ? [] : [`  ${place}`]),
      '',
    ]);
  });

  /** Copies the built receiver into a folder where its handler may be compiled again. */
  async function makeReceiver(): Promise<{ folder: string; compile: (source: string) => void }> {
    const folder = makeFolder(afterThisFile);
    copyFiles(folder, ...['package.json', 'dist', 'migrations'].map((part) => `apps/webhook/${part}`));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const { compilerOptions } = (await import(join(ROOT, 'swc.shared.mjs'))) as { compilerOptions: object };
    const write = (path: string, source: string): void => {
      const built = join(
        folder,
        'apps/webhook/dist',
        path.slice('apps/webhook/'.length).replace(/ts$/, 'js'),
      );
      const sourceFileName = join(folder, path);
      const { code, map } = transformSync(source, { ...compilerOptions, sourceMaps: true, sourceFileName });
      writeFileSync(sourceFileName, source);
      writeFileSync(`${built}.map`, map!);
      writeFileSync(built, `${code}//# sourceMappingURL=${basename(built)}.map\n`);
    };
    // Not what the team has there.
    for (const parent of ['apps/webhook', 'apps/webhook/dist']) {
      rmSync(join(folder, parent, 'handler'), { recursive: true, force: true });
      mkdirSync(join(folder, parent, 'handler'), { recursive: true });
    }
    for (const [path, source] of Object.entries(handlerFiles)) write(path, source);
    return { folder, compile: (source) => write(HANDLER, source) };
  }
});
