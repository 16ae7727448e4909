import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { ESLint } from 'eslint';
import typescript from 'typescript-eslint';

const root = `${import.meta.dirname}/../..`;
/** The workspace's own rules. A fixture is in no file, so rules that need types are off. */
const eslint = new ESLint({ cwd: root, overrideConfig: typescript.configs.disableTypeChecked });
let projects: Record<string, { data: { root: string; tags: string[] } }>;

beforeAll(() => {
  const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');
  // The module rule reads the graph that Nx stores when it prints it. Without a graph the rule passes everything.
  const graph = execFileSync(process.execPath, [nx, 'graph', '--file=stdout'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  ({ nodes: projects } = (JSON.parse(graph) as { graph: { nodes: typeof projects } }).graph);
});

/** The messages of lint for `source` as the content of `file`. */
async function lint(file: string, source: string): Promise<string[]> {
  const results = await eslint.lintText(source, { filePath: `${root}/${file}` });
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message }) => `${ruleId ?? 'fatal'}: ${message}`),
  );
}

const SCOPES = {
  contract: ['contract'],
  sender: ['sdk'],
  command: ['cli'],
  receiver: ['webhook'],
  workspace: [
    'bench',
    'boundaries',
    'example-answers',
    'openapi',
    'package',
    'soak',
    'test-support',
    'webhook-e2e',
    'workspace',
  ],
};
const TYPES = {
  app: ['webhook'],
  e2e: ['webhook-e2e'],
  lib: ['cli', 'contract', 'sdk'],
  'test-lib': ['example-answers', 'test-support'],
  tool: ['bench', 'boundaries', 'openapi', 'package', 'soak', 'workspace'],
};
const names = Object.values(TYPES).flat();

test('every project has one type and one scope', () => {
  const tagged = (kind: string) => {
    const tags = Object.entries(projects).map(([name, { data }]) => [
      data.tags.filter((tag) => tag.startsWith(`${kind}:`)).join(),
      name,
    ]);
    return tags.sort();
  };
  const wanted = (kind: string, table: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(table)
      .flatMap(([tag, names]) => names.map((name) => [`${kind}:${tag}`, name]))
      .sort();
  expect(tagged('type')).toEqual(wanted('type', TYPES));
  expect(tagged('scope')).toEqual(wanted('scope', SCOPES));
});

describe('one project imports another', () => {
  const libraries = ['contract', 'sdk'];
  const testLibraries = ['example-answers', 'test-support'];
  /** What the sources of a project may import. */
  const sources: Readonly<Record<string, readonly string[]>> = {
    sdk: ['contract'],
    cli: libraries,
    webhook: ['contract'],
    'example-answers': ['contract'],
    'test-support': ['contract'],
    ...Object.fromEntries(
      [...TYPES.e2e, ...TYPES.tool].map((name) => [name, [...libraries, ...testLibraries]]),
    ),
  };
  /** What its tests may import in addition. */
  const tests: Readonly<Record<string, readonly string[]>> = {
    cli: testLibraries,
    sdk: testLibraries,
    webhook: testLibraries,
  };
  // tools/package imports the SDK while it runs, and Nx then refuses a static import.
  const edges = names
    .flatMap((from) => names.map((to) => ({ from, to })))
    .filter(({ from, to }) => !(from === 'package' && to === 'sdk'));
  const modules = expect.stringMatching('^@nx/enforce-module-boundaries: ') as unknown;
  const refused = (from: string): unknown[] =>
    from === 'contract' ? [modules, expect.stringMatching('^no-restricted-syntax: ')] : [modules];
  const lintEdge = (from: string, to: string, file: string) =>
    lint(`${projects[from]!.data.root}/${file}`, `import '@plant-store/${to}';`);

  test.each(edges)('$from → $to', async ({ from, to }) => {
    const isAllowed = sources[from]?.includes(to) ?? false;
    expect(await lintEdge(from, to, 'src/fixture.ts')).toEqual(isAllowed ? [] : refused(from));
  });

  test.each(edges)('a test of $from → $to', async ({ from, to }) => {
    const isAllowed = [...(sources[from] ?? []), ...(tests[from] ?? [])].includes(to);
    expect(await lintEdge(from, to, 'src/fixture.test.ts')).toEqual(isAllowed ? [] : [modules]);
  });
});

describe('each rule fails its fixture', () => {
  const relative =
    '@nx/enforce-module-boundaries: Projects cannot be imported by a relative or absolute path';
  const undeclared =
    '@nx/enforce-module-boundaries: Only packages defined in the "package.json" can be imported';
  const contract = 'no-restricted-syntax: The contract imports only its own files';
  const checks = 'no-restricted-syntax: The checks of the contract import only its own files and Valibot';
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
    ['Valibot outside of the checks', 'libs/contract/src/x.ts', "import 'valibot';", [contract]],
    ['Node in a kind of answer', 'libs/contract/src/kinds/x.ts', "import 'node:fs';", [checks]],
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
      'process.env in the configuration',
      'apps/webhook/src/config.ts',
      'export default process.env;',
      [environment],
    ],
    ['process.env in a tool', 'tools/openapi/src/cli.ts', 'export default process.env;', [environment]],
    [
      'process.env in a benchmark',
      'tools/bench/src/receiver.ts',
      'export default process.env;',
      [environment],
    ],
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
    expect(await lint(file, source)).toEqual(said.map((start): unknown => expect.stringContaining(start)));
  });

  test.each([
    ['libs/contract/src/x.ts', "import './facts.js';\nexport * from './answers.js';"],
    ['libs/contract/src/x.test.ts', "import 'node:fs';"],
    ['libs/contract/src/kinds/x.ts', "import 'valibot';\nimport '../standards.js';"],
    ['libs/sdk/src/x.ts', "import 'node:fs';\nimport 'undici';"],
    ['apps/webhook/src/main.ts', 'export default process.env;'],
    ['libs/cli/src/plant-store.ts', 'export default process.env;'],
    ['apps/webhook/serve/serve.mjs', 'export default process.env;'],
    ['tools/workspace/nx.mjs', 'export default process.env;'],
    ['apps/webhook/src/x.test.ts', 'export default process.env;'],
  ])('%s may: %s', async (file, source) => {
    expect(await lint(file, source)).toEqual([]);
  });
});
