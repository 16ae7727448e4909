import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { ESLint } from 'eslint';
import typescript from 'typescript-eslint';

const root = `${import.meta.dirname}/../..`;
/** The workspace's own rules. A fixture is in no file, so rules that need types are off. */
const eslint = new ESLint({ cwd: root, overrideConfig: typescript.configs.disableTypeChecked });

beforeAll(() => {
  const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');
  // The module rule reads the graph that Nx stores when it prints it. Without a graph the rule passes everything.
  execFileSync(process.execPath, [nx, 'graph', '--file=stdout'], { cwd: root, maxBuffer: 2 ** 28 });
});

const modules = '@nx/enforce-module-boundaries: ';
const relative = '@nx/enforce-module-boundaries: Projects cannot be imported by a relative or absolute path';
const undeclared = '@nx/enforce-module-boundaries: Only packages defined in the "package.json"';
const contract = 'no-restricted-syntax: The contract imports only its own files and Valibot';
const document = 'no-restricted-syntax: Only openapi/ imports @nestjs/swagger';
const checked = 'no-restricted-syntax: The published answers were checked';
const ofTheTeam = 'no-restricted-syntax: No source of the receiver imports your handler';
const ofTheReceiver = 'no-restricted-syntax: Your handler imports @plant-store/handler';
const twoCopies = 'no-restricted-syntax: Another copy of the package has another class';
const environment = "no-restricted-properties: 'process.env' is restricted";
const environmentModule = "no-restricted-imports: 'node:process' import is restricted";

const sdk = 'libs/sdk/src/x.ts';
const inContract = 'libs/contract/src/x.ts';
const inHandler = 'apps/webhook/handler/x.ts';

test.each([
  ['the contract imports the SDK', inContract, "import '@plant-store/sdk';", [modules, contract]],
  ['the SDK imports the command', sdk, "import '@plant-store/cli';", [modules]],
  ['the SDK imports what the commands share', sdk, "import '@plant-store/command/table';", [modules]],
  ['the SDK imports test support', sdk, "import '@plant-store/test-support';", [modules]],
  [
    'what handlers import imports the contract',
    'libs/handler/src/x.ts',
    "import '@plant-store/contract';",
    [modules],
  ],
  ['the receiver imports the SDK', 'apps/webhook/src/x.ts', "import '@plant-store/sdk';", [modules]],
  ['a tool imports the receiver', 'tools/bench/src/x.ts', "import '@plant-store/webhook';", [modules]],
  ['test support imports the SDK', 'libs/test-support/src/x.ts', "import '@plant-store/sdk';", [modules]],
  ['a relative path into a library', sdk, "import '../../contract/src/index.js';", [relative]],
  ['a relative path into an application', sdk, "import '../../../apps/webhook/src/main.js';", [relative]],
  ['a relative path out of the contract', inContract, "import '../../sdk/src/index.js';", [relative]],
  ['a package that is not declared', sdk, "import 'fastify';", [undeclared]],
  ['a path past the exports', sdk, "import '@plant-store/contract/src/facts.js';", [undeclared]],
  ['Node in the contract', inContract, "import 'node:fs';", [contract]],
  ['Nest in the contract', inContract, "import '@nestjs/common';", [undeclared, contract]],
  ['a re-export in the contract', inContract, "export { a } from 'node:fs';", [contract]],
  ['a re-export of all in the contract', inContract, "export * from 'node:fs';", [contract]],
  ['a dynamic import in the contract', inContract, "await import('node:fs');", [contract]],
  ['a type import in the contract', inContract, "export type A = import('node:fs').Stats;", [contract]],
  ['the receiver loads Swagger', 'apps/webhook/src/x.ts', "import '@nestjs/swagger';", [document]],
  [
    'the receiver loads what makes the document',
    'apps/webhook/src/x/y.ts',
    "import '../openapi/z.js';",
    [document],
  ],
  [
    "the receiver imports the team's handler",
    'apps/webhook/src/x/y.ts',
    "await import('../../handler/index.js');",
    [ofTheTeam],
  ],
  [
    'what makes the document imports it',
    'apps/webhook/src/openapi/x.ts',
    "import '../../handler/index.js';",
    [ofTheTeam],
  ],
  ["a team's handler imports the receiver", inHandler, "import '../src/errors.js';", [ofTheReceiver]],
  ["a team's handler imports what is built", inHandler, "import '../dist/errors.js';", [ofTheReceiver]],
  ['a class of the SDK is told by instanceof', sdk, 'export default {} instanceof OutboxError;', [twoCopies]],
  ['also of a namespace', 'libs/cli/src/x.ts', 'export default {} instanceof sdk.OutboxError;', [twoCopies]],
  ['and in the contract', inContract, 'export default {} instanceof Answer;', [twoCopies]],
  ['the SDK checks the answers', sdk, "import '@plant-store/contract/check';", [checked]],
  ['so does the command', 'libs/cli/src/x.ts', "import '@plant-store/contract/check';", [checked]],
  ['the command loads examples', 'libs/cli/src/x.ts', "import '@plant-store/example-answers';", [modules]],
  ['process.env in a library', sdk, 'export default process.env;', [environment]],
  ['process.env by another spelling', sdk, "export default process['env'];", [environment]],
  ['process.env taken apart', 'apps/webhook/src/x.ts', 'export const { env } = process;', [environment]],
  [
    'process.env by import',
    'tools/openapi/src/x.ts',
    "export { env } from 'node:process';",
    [environmentModule],
  ],
])('refused: %s', async (_name, file, source, said) => {
  expect(await lint(file, source)).toEqual(said.map((start): unknown => expect.stringContaining(start)));
});

test.each([
  [inContract, "import 'valibot';\nexport * from './answers.js';"],
  ['libs/contract/src/x.test.ts', "import 'node:fs';"],
  [sdk, 'export default {} instanceof Error;'],
  [sdk, "import 'node:fs';\nimport 'undici';\nimport '@plant-store/contract';"],
  ['libs/sdk/src/x.test.ts', "import '@plant-store/test-support';"],
  ['apps/webhook/src/openapi/x.ts', "import '@nestjs/swagger';"],
  [
    inHandler,
    "import { LOGGER } from '@plant-store/handler';\nimport './x.js';\nlet unused: any = process.env.URL;",
  ],
  ['libs/cli/src/plant-store.ts', 'export default process.env;'],
  ['apps/webhook/src/x.test.ts', "import '@plant-store/example-answers';\nexport default process.env;"],
])('allowed in %s: %s', async (file, source) => {
  expect(await lint(file, source)).toEqual([]);
});

/** The messages of lint for `source` as the content of `file`. */
async function lint(file: string, source: string): Promise<string[]> {
  const results = await eslint.lintText(source, { filePath: `${root}/${file}` });
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message }) => `${ruleId ?? 'fatal'}: ${message}`),
  );
}
