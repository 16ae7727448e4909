import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { QuestionId } from '@plant-store/contract';
import ts from 'typescript';

import type { Observations } from '../../src/matrix.js';
import { ROOT } from './run-program.js';
import { nameOf } from './scenario.js';

/** The start of every snippet. The compiler does not look for superfluous options in a spread. */
const HEAD = `import { createNewPlantSender } from '@plant-store/sdk';
interface Plant { name: string }
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
`;

const create = (option: string): string =>
  `const { ${option}, ...others } = all; createNewPlantSender<Plant>(others); void ${option};`;

const SNIPPETS: Readonly<Record<string, string>> = {
  'with every option': 'createNewPlantSender<Plant>({ ...all });',
  'without `baseUrl`': create('baseUrl'),
  'without `method`': create('method'),
  'without `encode`': create('encode'),
  'without `signingKey`': create('signingKey'),
  'a plant without a name': 'createNewPlantSender<{ colour: string }>({ ...all });',
  'sent with everything': `void createNewPlantSender<Plant>({ ...all }).send({ name: 'Fern' }, everything);`,
  'sent without `eventId`': `void createNewPlantSender<Plant>({ ...all }).send({ name: 'Fern' }, { ...{ signal, event } });`,
  'sent without `event`': `void createNewPlantSender<Plant>({ ...all }).send({ name: 'Fern' }, { ...{ signal, eventId } });`,
  'a status of 200': `export const status: Promise<200> =
  createNewPlantSender<Plant>({ ...all }).send({ name: 'Fern' }, everything).then(({ status }) => status);`,
};

/** Observes which snippets compile against the types of the built SDK: for each set of answers, by its name. */
export function observeTypes(scenarios: readonly (readonly QuestionId[])[]): Map<string, Observations> {
  const root = mkdtempSync(join(tmpdir(), 'plant-store-types-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    const distinct = new Map(scenarios.map((answered) => [nameOf(answered), answered]));
    const files = [...distinct].map(
      ([name, answered], index) => [name, writeSnippets(join(root, String(index)), answered)] as const,
    );
    const compiles = compile(files.flatMap(([, snippets]) => Object.values(snippets)));
    return new Map(
      files.map(([name, snippets]) => [
        name,
        Object.fromEntries(Object.entries(snippets).map(([snippet, file]) => [snippet, compiles(file)])),
      ]),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Writes the snippets into a folder, beside packages whose types have these answers. */
function writeSnippets(folder: string, answered: readonly QuestionId[]): Record<string, string> {
  const packages = join(folder, 'node_modules/@plant-store');
  for (const name of ['contract', 'sdk']) copyTypes(name, join(packages, name));
  const keys = answered.map((id) => `'${id}'`).join(' | ') || 'never';
  writeFileSync(
    join(packages, 'contract/dist/answers.d.ts'),
    `import { exampleAnswers } from '@plant-store/example-answers';
export declare const answers: Pick<typeof exampleAnswers, ${keys}>;
`,
  );
  return Object.fromEntries(
    Object.entries(SNIPPETS).map(([name, snippet], index) => {
      const file = join(folder, `snippet-${index}.ts`);
      writeFileSync(file, HEAD + snippet);
      return [name, file];
    }),
  );
}

/** Copies the types of a package. Their version is new, because the compiler takes equal versions for one package. */
function copyTypes(name: string, to: string): void {
  const from = join(ROOT, 'libs', name);
  mkdirSync(to, { recursive: true });
  cpSync(join(from, 'dist'), join(to, 'dist'), {
    recursive: true,
    filter: (path) => !/\.(?:js|map|tsbuildinfo)$/.test(path),
  });
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as object;
  writeFileSync(join(to, 'package.json'), JSON.stringify({ ...manifest, version: `0.0.0-${to}` }));
}

/** Compiles all files in one program, and says of each whether it compiles. */
function compile(files: readonly string[]): (file: string) => string {
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
  return (file) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).length === 0
      ? 'compiles'
      : 'does not compile';
}
