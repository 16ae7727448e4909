import { createProjectGraphAsync, type ProjectGraph } from '@nx/devkit';
import { ESLint } from 'eslint';
import typescript from 'typescript-eslint';
import { mayImport } from './boundaries.mjs';

const root = `${import.meta.dirname}/../..`;
let graph: ProjectGraph;
let eslint: ESLint;

beforeAll(async () => {
  // The module rule reads Nx's cached graph, and passes everything where there is none.
  graph = await createProjectGraphAsync({ exitOnError: false });
  // The workspace's own rules; a fixture stands in no file, so it has no types.
  eslint = new ESLint({ cwd: root, overrideConfig: typescript.configs.disableTypeChecked });
}, 60_000);

/** What lint says of `source` if it stood in `file`. */
async function lint(file: string, source: string): Promise<string[]> {
  const results = await eslint.lintText(source, { filePath: `${root}/${file}` });
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
}

test('every project has its row', () => {
  expect(Object.keys(graph.nodes).sort()).toEqual(Object.keys(mayImport).sort());
  for (const [name, { data }] of Object.entries(graph.nodes)) {
    expect(data.tags).toContain(`project:${name}`);
  }
});

describe('one project imports another', () => {
  const allowed = [
    'sdk → contract',
    'webhook → contract',
    'webhook-e2e → contract',
    'webhook-e2e → sdk',
    'openapi → contract',
    'bench → contract',
    'bench → sdk',
  ];
  const projects = Object.keys(mayImport);
  const edges = projects.flatMap((from) => projects.map((to) => ({ from, to, edge: `${from} → ${to}` })));

  test.each(edges.filter(({ edge }) => allowed.includes(edge)))('$edge passes', async ({ from, to }) => {
    expect(
      await lint(`${graph.nodes[from]?.data.root}/src/fixture.ts`, `import '@plant-store/${to}';`),
    ).toEqual([]);
  });

  test.each(edges.filter(({ edge }) => !allowed.includes(edge)))('$edge fails', async ({ from, to }) => {
    expect(
      await lint(`${graph.nodes[from]?.data.root}/src/fixture.ts`, `import '@plant-store/${to}';`),
    ).toContainEqual(expect.stringMatching('^@nx/enforce-module-boundaries: '));
  });
});

describe('a rule fails its fixture and says why', () => {
  const relative =
    '@nx/enforce-module-boundaries: Projects cannot be imported by a relative or absolute path';
  const undeclared =
    '@nx/enforce-module-boundaries: Only packages defined in the "package.json" can be imported';
  const contract = 'no-restricted-syntax: The contract imports nothing but itself';
  const environment = "no-restricted-properties: 'process.env' is restricted";
  const environmentModule = "no-restricted-imports: 'node:process' import is restricted";

  test.each([
    // name, file, source, what lint says
    [
      'a relative path into a library',
      'libs/sdk/src/x.ts',
      "import '../../contract/src/index.js';",
      [relative],
    ],
    [
      'a relative path into an application',
      'libs/sdk/src/x.ts',
      "import '../../../apps/webhook/src/main.js';",
      [relative],
    ],
    [
      'a relative path into what was built',
      'libs/sdk/src/x.ts',
      "import '../../../apps/webhook/dist/main.js';",
      [relative],
    ],
    [
      'a relative path out of the contract',
      'libs/contract/src/x.ts',
      "import '../../sdk/src/index.js';",
      [relative],
    ],
    ['a package that is not declared', 'libs/sdk/src/x.ts', "import 'fastify';", [undeclared]],
    [
      'a path past the exports of a package',
      'libs/sdk/src/x.ts',
      "import '@plant-store/contract/src/facts.js';",
      [undeclared],
    ],
    ['Node in the contract', 'libs/contract/src/x.ts', "import 'node:fs';", [contract]],
    ['Node without its prefix in the contract', 'libs/contract/src/x.ts', "import 'fs';", [contract]],
    ['Nest in the contract', 'libs/contract/src/x.ts', "import '@nestjs/common';", [undeclared, contract]],
    [
      'a package re-exported by the contract',
      'libs/contract/src/x.ts',
      "export * from 'undici';",
      [undeclared, contract],
    ],
    [
      'names re-exported by the contract',
      'libs/contract/src/x.ts',
      "export { a } from 'node:fs';",
      [contract],
    ],
    ['a dynamic import in the contract', 'libs/contract/src/x.ts', "await import('node:fs');", [contract]],
    [
      'a type import in the contract',
      'libs/contract/src/x.ts',
      "export type A = import('node:fs').Stats;",
      [contract],
    ],
    ['process.env', 'libs/sdk/src/x.ts', 'export default process.env;', [environment]],
    ['process.env by another spelling', 'libs/sdk/src/x.ts', "export default process['env'];", [environment]],
    [
      'process.env taken apart',
      'apps/webhook/src/inbox/x.ts',
      'export const { env } = process;',
      [environment],
    ],
    [
      'process.env by import',
      'tools/openapi/src/x.ts',
      "export { env } from 'node:process';",
      [environmentModule],
    ],
  ])('%s', async (_name, file, source, said) => {
    expect(await lint(file, source)).toEqual(said.map((start) => expect.stringContaining(start)));
  });

  test.each([
    ['libs/contract/src/x.ts', "import './facts.js';\nexport * from './answers.js';"],
    ['libs/contract/src/x.test.ts', "import 'node:fs';"],
    ['libs/sdk/src/x.ts', "import 'node:fs';\nimport 'undici';"],
    ['apps/webhook/src/main.ts', 'export default process.env;'],
    ['apps/webhook/src/config.ts', 'export default process.env;'],
    ['libs/sdk/src/cli/main.ts', 'export default process.env;'],
    ['tools/openapi/src/cli.ts', 'export default process.env;'],
    ['apps/webhook/src/x.test.ts', 'export default process.env;'],
  ])('%s may: %s', async (file, source) => {
    expect(await lint(file, source)).toEqual([]);
  });
});
