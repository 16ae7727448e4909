import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import type { Observations } from '../observations.js';
import type { World } from '../world/make-world.js';

/** What every snippet starts from. Spread options are not checked for superfluous ones. */
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

/** Which snippets compile in each of the worlds. One program holds them all. */
export function observeTypes(worlds: readonly World[]): Observations[] {
  const files = worlds.map((world) =>
    Object.entries(SNIPPETS).map(([name, snippet], index) => {
      const file = join(world.folder, `snippet-${index}.ts`);
      writeFileSync(file, HEAD + snippet);
      return [name, file] as const;
    }),
  );
  const program = ts.createProgram(
    files.flat().map(([, file]) => file),
    {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      types: [],
    },
  );
  const compiles = (file: string): string =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).length === 0
      ? 'compiles'
      : 'does not compile';
  return files.map((named) => Object.fromEntries(named.map(([name, file]) => [name, compiles(file)])));
}
