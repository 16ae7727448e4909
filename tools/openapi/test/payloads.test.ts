import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Executable as Answers, plainAnswers } from '@plant-store/contract';
import { jsonSchemaPayload, realPayload } from '@plant-store/example-answers';
import { makeFolder } from '@plant-store/test-support';
import { Validator } from '@seriousme/openapi-schema-validator';
import ts from 'typescript';
import { codeAnswersOf } from '../src/gate/code-answers.js';
import { gate, isClean } from '../src/gate/gate.js';
import { ROOT, writeDocument } from './scenario/built.js';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

async function expectValid(document: string): Promise<void> {
  expect(await new Validator().validate(document)).toEqual({ valid: true });
}

test.each<[string, Answers]>([
  ['real-payload', realPayload],
  ['json-schema-payload', jsonSchemaPayload],
])('%s passes the gate, and its document is valid', async (name, answers) => {
  const document = await writeDocument(answers);
  const baseline = 'libs/contract/spec/plant-store.openapi.yaml';
  const overlay = `libs/example-answers/${name}.overlay.yaml`;

  const report = gate({
    baseline: { text: read(baseline), file: baseline },
    document: { text: document, file: 'openapi.json' },
    overlay: { text: read(overlay), file: overlay },
    answers: codeAnswersOf(plainAnswers(answers)),
  });

  expect(report.findings.filter(({ state }) => state !== 'answered')).toEqual([]);
  expect(isClean(report)).toBe(true);
  await expectValid(document);
});

test('the answers with a JSON Schema in docs/how-to/answer-a-question.md can be carried out, and their document is valid', async () => {
  const [, code = ''] =
    /^```ts\n(.*?jsonSchema.*?)^```$/ms.exec(read('docs/how-to/answer-a-question.md')) ?? [];
  const outside = code.replace("'./json-schema.js'", "'@plant-store/contract/json-schema'");
  const options = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ESNext,
    verbatimModuleSyntax: true,
  };
  const file = join(makeFolder(), 'answers.mjs');
  mkdirSync(join(file, '../node_modules'));
  for (const name of ['ajv', '@plant-store'])
    symlinkSync(
      join(ROOT, name === 'ajv' ? 'libs/contract/node_modules' : 'node_modules', name),
      join(file, '../node_modules', name),
    );
  writeFileSync(file, ts.transpile(outside, options));
  const { answers } = (await import(pathToFileURL(file).href)) as { answers: Answers };

  const document = await writeDocument(answers);

  await expectValid(document);
  const { components } = JSON.parse(document) as { components: { schemas: object } };
  expect(Object.keys(components.schemas)).toEqual(['PlantRecord', 'Light']);
});
