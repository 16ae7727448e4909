import { join } from 'node:path';
import { writeFileSync } from 'node:fs';

import { makeFolder } from '@plant-store/test-support';

import { poisonSettings, sendAll } from '../support/poison.js';
import { preloading, startReceiver } from '../support/receiver.js';

test('without @opentelemetry/api, deliveries are handled', async () => {
  const file = join(makeFolder(), 'not-installed.mjs');
  writeFileSync(file, NOT_INSTALLED);
  const receiver = await startReceiver({ settings: { ...poisonSettings, ...preloading(file) } });
  await sendAll(receiver, ['show']);
  await receiver.process.logged('shown');

  expect(receiver.process.entries('looked for')).toHaveLength(1);
  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
});

const NOT_INSTALLED = `
import { register } from 'node:module';

register('data:text/javascript,' + encodeURIComponent(\`
  import { writeSync } from 'node:fs';
  export function resolve(specifier, context, next) {
    if (specifier !== '@opentelemetry/api') return next(specifier, context);
    writeSync(1, JSON.stringify({ msg: 'looked for' }) + '\\\\n');
    throw Object.assign(new Error('not installed on purpose'), { code: 'ERR_MODULE_NOT_FOUND' });
  }\`));
`;
