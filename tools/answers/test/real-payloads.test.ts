import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { jsonSchemaPayload } from '../src/answered/json-schema-payload.js';
import { realPayload } from '../src/answered/real-payload.js';
import { runUnder } from './run-under-answers.js';
import { type Result, ROOT } from './scenario/run-program.js';

const OPENAPI = 'tools/openapi/dist/cli.js';

let folder: string;

beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'plant-store-payloads-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([realPayload, jsonSchemaPayload])('$name', ({ name, code, overlay }) => {
  test('passes the gate, and its document is valid', () => {
    const document = join(folder, `${name}-document.json`);
    const answers = join(folder, `${name}-answers.json`);
    const actions = join(folder, `${name}-overlay.yaml`);
    writeFileSync(actions, overlay);
    succeed(runUnder(code, 'apps/webhook/dist/openapi/write-document.js', [document]));
    succeed(runUnder(code, OPENAPI, ['answers', '--output', answers]));
    const baseline = ['--baseline', 'libs/contract/spec/plant-store.openapi.yaml'];
    const sides = ['--document', document, '--overlay', actions, '--answers', answers];

    const gate = runUnder(code, OPENAPI, ['diff', ...baseline, ...sides]);
    expect(gate.stdout).toContain(' 0 missing, 0 contradicted, 0 invented, ');
    expect(gate.stdout).not.toContain('stale');
    expect(gate.code).toBe(0);
    succeed(runUnder(code, OPENAPI, ['validate', document]));
  });
});

test('the answers with a JSON Schema in docs/answering.md can be carried out, and its document is valid', () => {
  const page = readFileSync(join(ROOT, 'docs/answering.md'), 'utf8');
  const [, code = ''] = /^```ts\n(.*?jsonSchema.*?)^```$/ms.exec(page) ?? [];
  const document = join(folder, 'guide.json');

  succeed(runUnder(code, 'apps/webhook/dist/openapi/write-document.js', [document]));
  succeed(runUnder(code, OPENAPI, ['validate', document]));
  const { components } = JSON.parse(readFileSync(document, 'utf8')) as { components: { schemas: object } };
  expect(Object.keys(components.schemas)).toEqual(['PlantRecord', 'Light']);
});

function succeed({ code, stderr }: Result): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}
