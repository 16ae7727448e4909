import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { makeFolder } from '@plant-store/test-support';
import ts from 'typescript';

import { ROOT } from '../support/development.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import { preloading, startReceiver } from '../support/receiver.js';

const BUILT_HANDLER = pathToFileURL(join(ROOT, 'apps/webhook/dist/dispatch/new-plant.handler.js')).href;

test('the handler of docs/how-to/write-a-handler.md keeps each content in a file', async () => {
  const folder = makeFolder();
  const page = readFileSync(join(ROOT, 'docs/how-to/write-a-handler.md'), 'utf8');
  const [, documented = ''] = /```ts\n(\/\/ .*new-plant\.handler\.ts\n.*?)```/s.exec(page) ?? [];
  const { outputText } = ts.transpileModule(documented.replaceAll('data/plants', join(folder, 'plants')), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      experimentalDecorators: true,
    },
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'documented.mjs'), outputText);
  const preloaded = join(folder, 'preloaded.mjs');
  writeFileSync(
    preloaded,
    `import { NewPlantHandler } from '${BUILT_HANDLER}';
     import { NewPlantHandler as Documented } from './documented.mjs';
     NewPlantHandler.prototype.handle = Documented.prototype.handle;`,
  );
  const receiver = await startReceiver({ folder, settings: preloading(preloaded) });

  await sendAll(receiver, ['sample content']);
  await untilNothingWaits(receiver.inbox);

  expect(readFileSync(join(folder, 'plants/1'), 'utf8')).toBe('sample content');
});
