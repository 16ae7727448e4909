import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import { startReceiver } from './receiver.js';
import { succeed } from './run.js';

/** What the tests of the entry points get once the packages are installed. */
export interface Installed {
  /** The folder of the fresh projects. */
  readonly projects: string;
  /** The environment of npm, for more projects. */
  readonly env: NodeJS.ProcessEnv;
}

/** The tests of the entry points beside the core, in the fresh projects, on a version of Node.js. */
export function testEntryPoints(node: () => string, installed: () => Installed): void {
  describe.each(['esm', 'commonjs'])('a project in %s', (project) => {
    const runScript = (script: string, ...args: readonly string[]): Promise<string> =>
      succeed(node(), [script, ...args], { cwd: join(installed().projects, project) });

    test('sends a plant from an application of Nest, and closes it', async () => {
      const { url, contents } = await startReceiver();
      expect(await runScript('nest.js', url)).toBe('204\n');
      expect(contents).toEqual([`Bearer token {"from":"${project}"}`]);
    });

    test('tests with a fake sender', async () => {
      expect(await runScript('testing.js')).toBe(`${project}\n`);
    });

    withPostgres('with PostgreSQL', () => {
      test('sends a plant through the outbox', async () => {
        const { url, contents } = await startReceiver();
        const database = await (await postgresOfThisFile()).createDatabase();
        expect(await runScript('outbox.js', url, database)).toBe('delivered\n');
        expect(contents).toEqual([`Bearer token {"from":"${project}"}`]);
      });
    });
  });
}

/** The tests of a project that installs the SDK alone, without the packages that its other entry points are for. */
export function testWithoutPeers(installed: () => Installed): void {
  let project: string;

  beforeAll(async () => {
    const { projects, env } = installed();
    // Beside the others, and not in them: Node.js would find their packages.
    project = `${projects}-alone`;
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    await succeed('npm', ['install', '--ignore-scripts', '@plant-store/sdk'], { cwd: project, env });
  });

  test.each(['outbox', 'nest', 'testing'])('%s can be imported', async (entry) => {
    const program = `console.log(Object.keys(await import('@plant-store/sdk/${entry}')).length > 0)`;
    const output = await succeed(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: project,
    });
    expect(output).toBe('true\n');
  });
}
