import { symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { Attempt, Delivery } from '@plant-store/handler';
import { makeFolder } from '@plant-store/test-support';

import { recordLog } from '../../test/record-log.js';
import { handlerFault } from './handler-fault.js';
import { loadHandler, type OpenTarget } from './load-handler.js';

const NODE_MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

const delivery = { id: 7 } as Delivery;
const attempt = {} as Attempt;

/** Writes a module that may import the packages of this workspace. Returns its path. */
function write(name: string, text: string): string {
  const folder = makeFolder();
  symlinkSync(NODE_MODULES, join(folder, 'node_modules'));
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const load = (source: string): Promise<OpenTarget> => loadHandler(source, recordLog().logger);

/** What `delivery.seen` is once the handler has had it. */
async function seenBy(source: string): Promise<unknown> {
  const seen: { by?: unknown } = {};
  const { handle, close } = await load(source);
  await handle(Object.assign(seen, delivery), attempt);
  await close();
  return seen.by;
}

const FUNCTION = 'function handle(delivery) { delivery.by = "a function"; }';
const CLASS = 'class { handle(delivery) { delivery.by = "a class"; } }';

describe('a handler is', () => {
  test.each([
    ['the function of an ES module', 'handler.mjs', `export default ${FUNCTION}`, 'a function'],
    ['its arrow function', 'handler.mjs', 'export default async (seen) => { seen.by = 1 }', 1],
    ['its class', 'handler.mjs', `export default ${CLASS}`, 'a class'],
    ['the function of CommonJS', 'handler.cjs', `module.exports = ${FUNCTION}`, 'a function'],
    ['its class', 'handler.cjs', `module.exports = ${CLASS}`, 'a class'],
    [
      'the class of TypeScript that was compiled to CommonJS',
      'handler.cjs',
      `Object.defineProperty(exports, '__esModule', { value: true });
       exports.default = ${CLASS}; exports.HandlerModule = class {};`,
      'a class',
    ],
    [
      'a class that was compiled to ES5',
      'handler.cjs',
      'function Old() {} Old.prototype.handle = function (seen) { seen.by = this instanceof Old; }; module.exports = Old;',
      true,
    ],
  ])('%s (%s)', async (_name, file, text, by) => {
    expect(await seenBy(write(file, text))).toBe(by);
  });

  test.each([
    ['a file: URL', (path: string) => pathToFileURL(path).href],
    ['one in capital letters', (path: string) => pathToFileURL(path).href.replace('file', 'FILE')],
    ['a path that is relative to the working directory', (path: string) => relative('', path)],
  ])('named by %s', async (_name, sourceOf) => {
    expect(await seenBy(sourceOf(write('a handler #1.mjs', `export default ${FUNCTION}`)))).toBe(
      'a function',
    );
  });
});

test.each([
  ['class', 'export default class NewPlantHandler { handle() {} }', 'NewPlantHandler'],
  ['function', `export default ${FUNCTION}`, 'handle'],
])('a %s has a name for people', async (_kind, text, want) => {
  const path = write('handler.mjs', text);

  const { name, close } = await load(path);
  await close();

  expect(name).toBe(`${want} of ${path}`);
});

test('Nest constructs a class with what its HandlerModule provides, and closes it', async () => {
  const path = write(
    'handler.mjs',
    `import { Inject, Module } from '@nestjs/common';
     class Catalog {
       plants = [];
       onModuleDestroy() { this.plants.push('closed'); }
     }
     export class HandlerModule {}
     Module({ providers: [Catalog] })(HandlerModule);
     export default class Handler {
       constructor(catalog) { this.catalog = catalog; }
       handle(seen) { seen.plants = this.catalog.plants; }
     }
     Inject(Catalog)(Handler, undefined, 0);`,
  );
  const seen: { plants?: unknown } = {};

  const { handle, close } = await load(path);
  await handle(Object.assign(seen, delivery), attempt);
  await close();

  expect(seen.plants).toEqual(['closed']);
});

test('a provider of a module that the HandlerModule imports has the logger', async () => {
  const path = write(
    'handler.mjs',
    `import { Inject, Module } from '@nestjs/common';
     class Catalog {
       constructor(logger) { logger.info('the catalog starts'); }
     }
     Inject(Symbol.for('@plant-store/handler LOGGER'))(Catalog, undefined, 0);
     class CatalogModule {}
     Module({ providers: [Catalog] })(CatalogModule);
     export class HandlerModule {}
     Module({ imports: [CatalogModule] })(HandlerModule);
     export default ${CLASS}`,
  );
  const { logger, line } = recordLog();

  const { close } = await loadHandler(path, logger);
  await close();

  await line('the catalog starts');
});

describe('a handler cannot start', () => {
  test.each([
    ['whose file is missing', 'missing.mjs', 'HANDLER names no file: PATH. Add it, or correct HANDLER.'],
    ['that is a folder', '.', 'HANDLER names no file: PATH. Add it, or correct HANDLER.'],
    [
      'without a default export',
      'export const handle = () => undefined;',
      'PATH has no default export that is a function, or a class with the method "handle". Add it, or correct HANDLER.',
    ],
    [
      'whose class has no method',
      'export default class Handler {}',
      'Handler has no method "handle". Add it, or correct HANDLER.',
    ],
    [
      'whose module is no class',
      'export const HandlerModule = {}; export default class Handler { handle() {} }',
      'the HandlerModule of Handler is not a class. Add it, or correct HANDLER.',
    ],
    ['that throws', 'throw new Error("no catalog");', 'no catalog. Fix PATH, or what it imports.'],
  ])('%s', async (_name, text, said) => {
    const path = ['missing.mjs', '.'].includes(text) ? join(makeFolder(), text) : write('handler.mjs', text);

    const error = await load(path).then(
      () => undefined,
      (thrown: unknown) => handlerFault(thrown, path),
    );

    expect(error).toMatchObject({ code: 'HANDLER_UNUSABLE' });
    expect(error!.message).toContain(`The handler cannot start: ${said.replace('PATH', path)}`);
  });
});

test('whatever a module throws, it is why the handler cannot start', () => {
  const { proxy, revoke } = Proxy.revocable(new Error('arbitrary'), {});
  revoke();

  for (const thrown of [undefined, proxy, Object.setPrototypeOf(new Error('arbitrary'), proxy)])
    expect(handlerFault(thrown, 'http://127.0.0.1/new?key=s3cret')).toMatchObject({
      code: 'HANDLER_UNUSABLE',
      message: expect.not.stringContaining('s3cret'),
    });
});
