import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QuestionId } from '@plant-store/contract';
import ts from 'typescript';
import type { Observations } from '@plant-store/contract/kinds';
import { ROOT } from './built.js';

/** The start of every snippet. The compiler does not look for superfluous options in a spread. */
const HEAD = `interface Plant { name: string }
const all = {
  baseUrl: 'https://receiver.example',
  method: 'PUT',
  encode: (plant: unknown) => ({ content: JSON.stringify(plant), mediaType: 'application/json' }),
  accessToken: 'example-1',
  signingKey: 'whsec_',
} as const;
const eventId = 'event-1';
const event = { addedOn: '2026-01-31' };
const { signal } = new AbortController();
const everything = { signal, eventId, event };
const create = () => createNewPlantSender<typeof given, Plant>({ ...all }, { answers: given });
`;

const without = (option: string): string =>
  `const { ${option}, ...others } = all; createNewPlantSender<typeof given, Plant>(others, { answers: given }); void ${option};`;

const SNIPPETS: Readonly<Record<string, string>> = {
  'with every option': 'create();',
  'without `baseUrl`': without('baseUrl'),
  'without `method`': without('method'),
  'without `encode`': without('encode'),
  'without `signingKey`': without('signingKey'),
  'a plant without a name':
    'createNewPlantSender<typeof given, { colour: string }>({ ...all }, { answers: given });',
  'sent with everything': `void create().send({ name: 'Fern' }, everything);`,
  'sent without `eventId`': `void create().send({ name: 'Fern' }, { ...{ signal, event } });`,
  'sent without `event`': `void create().send({ name: 'Fern' }, { ...{ signal, eventId } });`,
  'a status of 200': `export const status: Promise<200> =
  create().send({ name: 'Fern' }, everything).then(({ status }) => status);`,
};

/** Snippets by name, and the type of the answers under which they are compiled, as `given`. */
export interface Snippets {
  readonly answers: string;
  readonly snippets: Readonly<Record<string, string>>;
}

/** The type of some example answers. */
export function typeOfExamples(answered: readonly QuestionId[]): string {
  return `{ ${answered.map((id) => `readonly '${id}': (typeof exampleAnswers)['${id}']`).join('; ')} }`;
}

/** Observes which snippets compile against the types of the built SDK under example answers to some questions. */
export function observeTypes(scenarios: readonly (readonly QuestionId[])[]): Observations[] {
  const snippets = Object.fromEntries(Object.entries(SNIPPETS).map(([name, text]) => [name, HEAD + text]));
  return compileUnder(scenarios.map((answered) => ({ answers: typeOfExamples(answered), snippets }))).map(
    (compiled) =>
      Object.fromEntries(
        Object.entries(compiled).map(([name, compiles]) => [
          name,
          compiles ? 'compiles' : 'does not compile',
        ]),
      ),
  );
}

/** Compiles snippets against the types of the built SDK, all in one program. Says of each whether it compiles. */
export function compileUnder(all: readonly Snippets[]): Readonly<Record<string, boolean>>[] {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-types-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const files = all.map(({ answers, snippets }, index) =>
      Object.entries(snippets).map(([name, text], at) => {
        const file = join(folder, `snippet-${index}-${at}.ts`);
        writeFileSync(file, headOf(answers) + text);
        return [name, file] as const;
      }),
    );
    const compiles = compile(files.flat().map(([, file]) => file));
    return files.map((some) => Object.fromEntries(some.map(([name, file]) => [name, compiles(file)])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function headOf(answers: string): string {
  return `import { createNewPlantSender } from '${join(ROOT, 'libs/sdk/dist/new-plant-sender.js')}';
import type { kinds } from '@plant-store/contract/kinds';
import type { exampleAnswers } from '@plant-store/example-answers';
declare const given: ${answers};
`;
}

function compile(files: readonly string[]): (file: string) => boolean {
  const program = ts.createProgram(files, {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: [],
  });
  return (file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).length === 0;
}
