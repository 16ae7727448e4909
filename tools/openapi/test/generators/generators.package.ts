/** What generators make of the document, as docs/how-to/read-the-document.md says. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleAnswers } from '@plant-store/example-answers';
import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { runInClone } from '../clone.js';
import { writeDocument } from '../built.js';

const folder = makeFolder(afterThisFile);

beforeAll(() => {
  copyFileSync(join(import.meta.dirname, 'project/package.json'), join(folder, 'package.json'));
  succeed('npm install --ignore-scripts --no-audit --no-fund');
}, 600_000);

const BODY = `{ plant: { name: 'Fern' }, addedOn: '2026-01-31' }`;

describe.each([
  {
    state: 'while everything is open',
    answers: {},
    // A key without an operation.
    types: `export const none: webhooks['/plant/webhook'] = { parameters: {} };
      // @ts-expect-error no method is known
      export const put: webhooks['/plant/webhook'] = { parameters: {}, put: {} };`,
    // Nothing of a webhook without an operation.
    client: `// @ts-expect-error there is no webhook
      export type None = generated.Webhooks;`,
  },
  {
    state: 'with example answers',
    answers: exampleAnswers,
    types: `type Put = webhooks['/plant/webhook']['put'];
      type Body = Put['requestBody']['content']['application/json'];
      export const body: Body = ${BODY};
      export const header: Put['parameters']['header']['plant-store-version'] = '1.0.0';
      export const status: keyof Put['responses'] = 409;
      // @ts-expect-error a plant has a name
      export const nameless: Body = { plant: {}, addedOn: '2026-01-31' };`,
    client: `export const request: generated.Webhooks = { key: '/plant/webhook', body: ${BODY} };
      // @ts-expect-error a plant has a name
      export const nameless: generated.Webhooks = { key: '/plant/webhook', body: { plant: {}, addedOn: '' } };`,
  },
])('$state', ({ answers, types, client }) => {
  beforeAll(async () => writeFileSync(join(folder, 'openapi.json'), await writeDocument(answers)));

  test('openapi-typescript writes the types of the webhook', () => {
    succeed('npx openapi-typescript openapi.json --output types.ts');
    compile(`import type { webhooks } from './types.js';\n${types}`);
  });

  test('@hey-api/openapi-ts writes the webhook once it has a method', () => {
    succeed('npx openapi-ts --input openapi.json --output client --silent');
    compile(`import type * as generated from './client/index.js';\n${client}`);
  });
});

/** Compiles what was generated, and what uses it. */
function compile(use: string): void {
  writeFileSync(join(folder, 'use.ts'), use);
  const target = '--target es2022 --lib es2022,dom,dom.iterable';
  succeed(`npx tsc --noEmit --strict ${target} --module es2022 --moduleResolution bundler use.ts`);
}

function succeed(command: string): void {
  const { failed, output } = runInClone(folder, command);
  expect(failed ? output : '').toBe('');
}
