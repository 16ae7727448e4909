import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { QuestionId } from '@plant-store/contract';
import ts from 'typescript';

import type { Observations } from '../../src/matrix.js';
import { ROOT } from './run-program.js';
import { nameOf } from './scenario.js';

const OTHER_ANSWERS = join(ROOT, 'tools/answers/test/scenario/other-answers.js');

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

/** Snippets by name, and the type of the answers under which they are compiled. */
export interface Snippets {
  readonly answers: string;
  readonly snippets: Readonly<Record<string, string>>;
}

/** Observes which snippets compile against the types of the built SDK: for each set of answers, by its name. */
export function observeTypes(scenarios: readonly (readonly QuestionId[])[]): Map<string, Observations> {
  const names = [...new Set(scenarios.map(nameOf))];
  const snippets = Object.fromEntries(Object.entries(SNIPPETS).map(([name, code]) => [name, HEAD + code]));
  const compiled = compileWithTypes(names.map((name) => ({ answers: typeOfAnswers(name), snippets })));
  return new Map(
    names.map((name, index) => [
      name,
      Object.fromEntries(
        Object.entries(compiled[index]!).map(([snippet, compiles]) => [
          snippet,
          compiles ? 'compiles' : 'does not compile',
        ]),
      ),
    ]),
  );
}

/** The type of the answers of a scenario, by its name. */
export function typeOfAnswers(scenario: string): string {
  const members = scenario.split(' ').flatMap((word) => {
    if (!/^\w/.test(word)) return [];
    const [id, name] = word.split(':');
    const type =
      name === undefined ? `(typeof exampleAnswers)['${id}']` : `(typeof otherAnswers)['${id}']['${name}']`;
    return `readonly '${id}': ${type}`;
  });
  return `{ ${members.join('; ')} }`;
}

/** Compiles snippets against the types of the built SDK, all in one program. Says of each whether it compiles. */
export function compileWithTypes(all: readonly Snippets[]): Readonly<Record<string, boolean>>[] {
  const root = mkdtempSync(join(tmpdir(), 'plant-store-types-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    const files = all.map((one, index) => writeSnippets(join(root, String(index)), one));
    const compiles = compile(files.flatMap(Object.values));
    return files.map((snippets) =>
      Object.fromEntries(Object.entries(snippets).map(([name, file]) => [name, compiles(file)])),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Writes snippets into a folder, beside packages whose types have these answers. Returns their files. */
function writeSnippets(folder: string, { answers, snippets }: Snippets): Record<string, string> {
  const packages = join(folder, 'node_modules/@plant-store');
  for (const name of ['contract', 'sdk']) copyTypes(name, join(packages, name));
  writeFileSync(
    join(packages, 'contract/dist/answers.d.ts'),
    `import type { exampleAnswers } from '@plant-store/example-answers';
import type { otherAnswers } from '${OTHER_ANSWERS}';
export declare const answers: ${answers};
`,
  );
  writeFileSync(join(packages, 'contract/dist/accepts.d.ts'), 'export declare const accepts: {};\n');
  return Object.fromEntries(
    Object.entries(snippets).map(([name, snippet], index) => {
      const file = join(folder, `snippet-${index}.ts`);
      writeFileSync(file, snippet);
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
