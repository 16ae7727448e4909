import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { openQuestions } from '@plant-store/contract';
import { parse } from 'yaml';

import { answerSets, enterAnswers } from './answer-sets.js';

const sets = answerSets();
const setNamed = (name: string) => sets.find((set) => set.name === name)!;

/** The questions that an overlay answers. */
function questionsOf(overlay: string): string[] {
  const { actions } = parse(overlay) as { actions: { 'x-question': string }[] };
  return [...new Set(actions.map((action) => action['x-question']))];
}

test('the first set answers every question', () => {
  const [all] = sets;
  expect(questionsOf(all!.overlay).sort()).toEqual(openQuestions.map(({ id }) => id).sort());
});

test.each(sets)('$name answers the same questions on both sides', ({ code, overlay }) => {
  const [, entries = ''] = /^export const answers = \{\n(.*?)^\}/ms.exec(code) ?? [];
  const entered = Array.from(entries.matchAll(/^ {2}'?([\w-]+)'?:/gm), ([, id]) => id);
  expect(entered.sort()).toEqual(questionsOf(overlay).sort());
});

test('a schema makes its library a dependency of the contract, once', () => {
  const clone = mkdtempSync(join(tmpdir(), 'plant-store-answered-'));
  try {
    const files = {
      'libs/contract/package.json': '{"devDependencies":{"ajv":"4.5.6"}}',
      'libs/contract/src/answers.ts': '',
      'libs/contract/spec/plant-store.openapi.yaml': '',
      'libs/example-answers/package.json': '{"dependencies":{"ajv":"4.5.6","zod":"1.2.3"}}',
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(clone, file)), { recursive: true });
      writeFileSync(join(clone, file), text);
    }
    const read = (file: string): string => readFileSync(join(clone, file), 'utf8');

    enterAnswers(clone, setNamed('in-words'));
    expect(read('libs/contract/package.json')).toBe('{"devDependencies":{"ajv":"4.5.6"}}');

    enterAnswers(clone, setNamed('real-payload'));
    enterAnswers(clone, setNamed('real-payload'));
    expect(JSON.parse(read('libs/contract/package.json'))).toEqual({
      dependencies: { zod: '1.2.3' },
      devDependencies: { ajv: '4.5.6' },
    });

    enterAnswers(clone, setNamed('json-schema-payload'));
    expect(JSON.parse(read('libs/contract/package.json'))).toEqual({
      dependencies: { zod: '1.2.3', ajv: '4.5.6' },
    });
  } finally {
    rmSync(clone, { recursive: true });
  }
});
