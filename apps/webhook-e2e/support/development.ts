import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { type Environment, TestProcess } from './process.js';

/** The folder of this workspace. */
export const ROOT = join(import.meta.dirname, '../../..');

/** The folder of the program behind `npm start`. */
export const SERVE = join(ROOT, 'apps/webhook/serve');

const COMMAND = [process.execPath, join(SERVE, 'serve.mjs')] as const;

/** The environment of a person's terminal. It has no variable of Jest, Nx or the receiver, but ports of its own. */
export function terminal(settings: Environment = {}): Environment {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, PORT: '0', OPERATIONS_PORT: '0', ...settings };
}

/** `npm start`, without npm. */
export class DevelopmentProcess extends TestProcess {
  /**
   * Starts it. It ends after the test.
   *
   * @param folder the workspace that it serves
   */
  static start(
    folder: string,
    settings: Environment = {},
    command: typeof COMMAND = COMMAND,
  ): DevelopmentProcess {
    const served = new DevelopmentProcess(command, { folder, environment: terminal(settings) });
    afterThisTest(() => served.stop());
    return served;
  }

  /** Waits until a pattern has been printed this many times. Resolves to the last match. */
  printed(pattern: RegExp, count = 1): Promise<RegExpExecArray> {
    const global = new RegExp(pattern, 'gm');
    return this.until(
      () => [...this.output.matchAll(global)][count - 1],
      `${String(pattern)}, ${count} times`,
    );
  }

  /** Waits until a receiver listens, for the first time or once more. Resolves to its URL. */
  async listening(count = 1): Promise<string> {
    const [, url] = await this.printed(/listening \{"url":"([^"]*)"/, count);
    return url!;
  }
}

/**
 * Sources of a receiver that stands in for the real one, whose types take longer to check. For the same reason they use
 * no types of Node.js.
 */
export const standIn = {
  /** Its source. */
  file: 'apps/webhook/src/main.ts',

  /** Responds with the name of its build. Crashes after a request for /crash, and logs 1,000 deliveries after /log. */
  receiver: (build: string): string => `
declare const console: any, process: any;
interface Erased {
  readonly lines: 'so that the built file has other line numbers';
}

const { createServer } = await import('node:http' as string);
const server = createServer((request: any, response: any) => {
  response.end('${build}');
  if (request.url === '/crash') process.nextTick(crash);
  if (request.url === '/log') {
    const msg = 'the handler gets a delivery';
    for (let delivery = 1; delivery <= 1_000; delivery += 1) console.log(JSON.stringify({ level: 20, delivery, msg }));
  }
});
server.listen(process.env.PORT, '127.0.0.1', () => {
  const url = \`http://127.0.0.1:\${server.address().port}/\`;
  console.log(JSON.stringify({ level: 30, msg: 'listening', url, operations: url, inbox: '' }));
});
process.once('SIGTERM', () => process.exit(0));

function crash(): never {
  throw new Error('crashed on purpose', { cause: {} as Erased });
}
`,

  /** Ends before it listens. */
  failing: (code: number): string =>
    `declare const console: any, process: any;\nconsole.error('wrong on purpose');\nprocess.exit(${code});\n`,

  /** Never listens. */
  silent: 'declare const setInterval: any;\nsetInterval(() => undefined, 1_000);\n',

  /** Has a type error, and runs all the same. */
  mistyped: (build: string): string => `export const mistyped: number = 'text';\n${standIn.receiver(build)}`,

  /** Can't be parsed. */
  broken: 'export const broken = ;\n',
};

/** A handler for tests that serve the team's folder, by path: what the team has there may do anything. */
export const handlerFiles: Readonly<Record<string, string>> = {
  'apps/webhook/handler/index.ts': `export { HandlerModule } from './handler.module.js';
export { NewPlantHandler as default } from './new-plant.handler.js';
`,
  'apps/webhook/handler/handler.module.ts': `import { Module } from '@nestjs/common';

@Module({})
export class HandlerModule {}
`,
  'apps/webhook/handler/new-plant.handler.ts': `import { Inject, Injectable } from '@nestjs/common';
import { Attempt, Delivery, LOGGER } from '@plant-store/handler';

@Injectable()
export class NewPlantHandler {
  constructor(@Inject(LOGGER) readonly logger: any) {}

  async handle(delivery: Delivery, attempt: Attempt): Promise<void> {}
}
`,
};

/** Makes a workspace like this one, with a stand-in for the receiver. Nothing in it is compiled. */
export function makeWorkspace(source: string, folder = makeFolder()): string {
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const project = (path: string, file: string, text: string, ...imports: readonly string[]): void => {
    const tsBuildInfoFile = 'dist/tsconfig.build.tsbuildinfo';
    const compilerOptions = { rootDir: 'src', outDir: 'dist', tsBuildInfoFile };
    const references = imports.map((imported) => ({ path: `../../${imported}/tsconfig.build.json` }));
    const config = {
      extends: '../../tsconfig.base.json',
      compilerOptions,
      include: ['src/**/*.ts'],
      references,
    };
    write(`${path}/tsconfig.build.json`, JSON.stringify(config));
    write(`${path}/src/${file}`, text);
  };
  write('package.json', JSON.stringify({ type: 'module', engines: { node: '>=20.19' } }));
  write('tsconfig.base.json', readFileSync(join(ROOT, 'tsconfig.base.json'), 'utf8'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  write('libs/contract/package.json', JSON.stringify({ type: 'module' }));
  for (const name of ['command', 'handler']) {
    write(`libs/${name}/package.json`, JSON.stringify({ type: 'module' }));
    project(`libs/${name}`, 'index.ts', 'export {};\n');
  }
  project('libs/contract', 'answers.ts', 'export const answers = {};\n');
  write('libs/contract/src/answer-types.ts', 'export const valuesOf = (answers: object) => answers;\n');
  write('apps/webhook/dist/api.html', '');
  write('apps/webhook/handler/index.ts', 'export {};\n');
  project('libs/sdk', 'index.ts', 'export {};\n');
  project('libs/cli', 'plant-store.ts', 'export {};\n', 'libs/sdk');
  project('apps/webhook', 'main.ts', source, 'libs/contract');
  return folder;
}

/** Copies a workspace with what is compiled. */
export function copyWorkspace(from: string): string {
  const folder = makeFolder();
  cpSync(from, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return folder;
}
