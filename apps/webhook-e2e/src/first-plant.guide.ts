import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { cloneWorkingTree } from '@plant-store/test-support/clone';

import { DevelopmentProcess, handlerFiles, ROOT, terminal } from '../support/development.js';
import { blocksOf, shown } from '../support/documented.js';
import { untilNothingWaits } from '../support/poison.js';
import { everythingOpen } from '../support/receiver.js';

const run = promisify(execFile);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const readme = read('README.md');
const tutorial = read('docs/tutorial/first-plant.md');

/** The command lines of the first block of a section. */
const commandsOf = (page: string, heading: string): string[] =>
  blocksOf(page, heading, 'sh')[0]!
    .split(/\n|&&/)
    .map((line) => line.trim());

/** A new user's clone, in which `npm start` serves. */
class Clone {
  readonly #folder = makeFolder();
  readonly served: DevelopmentProcess;
  #starts = 0;
  /** Where the receiver listens now. */
  #addresses: readonly [receiver: string, operations: string] = ['', ''];

  constructor(start: string) {
    cloneWorkingTree(ROOT, this.#folder);
    const path = join(this.#folder, 'apps/webhook/handler');
    for (const name of readdirSync(path)) if (name.endsWith('.ts')) rmSync(join(path, name));
    for (const [file, text] of Object.entries(handlerFiles)) writeFileSync(join(this.#folder, file), text);
    this.served = new DevelopmentProcess(['/bin/sh', '-c', `exec env ${start}`], {
      folder: this.#folder,
      environment: terminal(everythingOpen),
    });
    afterThisTest(() => this.served.stop());
  }

  /** Waits until the receiver listens once more. */
  async listens(): Promise<void> {
    this.#starts += 1;
    const [, url, operations] = await this.served.printed(
      /listening \{"url":"([^"]*)","operations":"([^"]*)"/,
      this.#starts,
    );
    this.#addresses = [new URL(url!).host, new URL(operations!).host];
  }

  /** What a page shows, with the ports of here. */
  here(text: string): string {
    const [receiver, operations] = this.#addresses;
    return text.replaceAll('127.0.0.1:3000', receiver).replaceAll('127.0.0.1:3001', operations);
  }

  /** Enters commands in a second terminal. Returns what they print. */
  async enter(commands: string): Promise<string> {
    const { stdout } = await run('/bin/sh', ['-c', `exec 2>&1\n${this.here(commands)}`], {
      cwd: this.#folder,
      env: terminal(everythingOpen),
    }).catch((error: unknown) => {
      throw new Error(`${commands}\n${(error as { stdout: string }).stdout}`, { cause: error });
    });
    return stdout;
  }

  /** Enters a command that a page shows, and compares what it prints with what the page shows. */
  async expectSession(session = ''): Promise<void> {
    const [, command = '', output = ''] = /^\$ (.*)\n([^]*)/.exec(session) ?? [];
    expect(await this.enter(command)).toMatch(shown(this.here(output)));
  }

  write(path: string, text: string): void {
    // At once: half a file would be one more change, with a restart of its own.
    writeFileSync(join(this.#folder, `${path}.new`), this.here(text));
    renameSync(join(this.#folder, `${path}.new`), join(this.#folder, path));
  }

  writeHandler(written = ''): void {
    const path = 'apps/webhook/handler/new-plant.handler.ts';
    const before = readFileSync(join(this.#folder, path), 'utf8');
    this.write(
      path,
      before.replace(/@Injectable\(\)\n.*/s, () => written),
    );
  }

  untilNothingWaits(): Promise<void> {
    return untilNothingWaits(join(this.#folder, 'data/inbox'));
  }
}

test('what README.md and docs/tutorial/first-plant.md show is what a new user sees', async () => {
  const of = (heading: string, language: string): string[] => blocksOf(readme, heading, language);
  const inTutorial = (heading: string, language: string): string[] => blocksOf(tutorial, heading, language);
  const [install, start = ''] = commandsOf(tutorial, '1. Start the receiver');
  expect(commandsOf(readme, 'Start').slice(0, 2)).toEqual(['npm ci', 'npm start']);
  expect([install, start]).toEqual(['npm ci', 'HANDLER_MAX_ATTEMPTS=1 npm start']);
  const clone = new Clone(start);
  const { served } = clone;
  await clone.listens();
  await served.printed(/^A change of the source/);
  expect(served.output).toMatch(shown(clone.here(of('Start', 'text')[0]!)));

  // README: Start. Tutorial: 2. Send a delivery.
  const [printed] = await served.printed(/^ +echo .*/);
  const send = printed.replace(clone.here('127.0.0.1:3000'), '127.0.0.1:3000');
  await clone.enter(send);
  await clone.untilNothingWaits();
  await clone.expectSession(of('Start', 'console')[0]);
  await clone.expectSession(inTutorial('2. Send a delivery', 'console')[0]);
  const [show] = await served.printed(/^ +npx plant-inbox show 1$/);
  expect(await clone.enter(show)).toContain('Sample content. It is arbitrary');

  clone.writeHandler(inTutorial('3. Let it fail', 'ts')[0]);
  await clone.listens();
  await clone.enter(send);
  await clone.untilNothingWaits();
  await clone.expectSession(inTutorial('3. Let it fail', 'console')[0]);
  expect(await clone.enter('npx plant-inbox show 2')).toContain('no room for plant 2');

  clone.writeHandler(inTutorial('4. Correct the handler, and replay', 'ts')[0]);
  await clone.listens();
  await clone.expectSession(inTutorial('4. Correct the handler, and replay', 'console')[0]);
  await served.printed(/^Plant 2: Sample content\. /);

  clone.writeHandler(of('Handle a plant', 'ts')[0]);
  await clone.listens();
  await clone.expectSession(of('Handle a plant', 'console')[0]);
  await served.printed(/^Delivery 1: Sample content\. /);

  clone.write('send.mjs', of('Send a plant', 'js')[0]!);
  await clone.expectSession(of('Send a plant', 'console')[0]);
  await served.printed(/^Delivery 3: \{"note":/);

  // The page is about an open question: answers of the contract would be hidden.
  if (everythingOpen['NODE_OPTIONS'] !== undefined) return;
  const [answer = '', remove = ''] = inTutorial('5. Answer a question', 'sh');
  await clone.enter(answer);
  await clone.listens();
  expect(await clone.enter(`${send} || true`)).toContain('405');
  await clone.enter(remove);
  await clone.listens();
  expect(await clone.enter(send)).toMatch(/^acknowledged: 204, /m);
}, 600_000);

test('the figures of README.md are those of the generated page', () => {
  const facts = read('docs/reference/contract-diff.md');
  const figure = (word: string): string => new RegExp(String.raw`\b(\d+) ${word}`).exec(facts)![1]!;

  expect(readme).toContain(`${figure('specified')} specified facts and ${figure('invented')} invented ones`);
  // Answered questions aren't open.
  if (everythingOpen['NODE_OPTIONS'] === undefined)
    expect(readme).toContain(`${figure('open')} questions open`);
});
