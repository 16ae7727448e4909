/**
 * `npm run bench [NAME…]`: runs these benchmarks, or all, each in a process of its own. What is measured has every
 * question open: the processes pass the option on to the receivers that they start.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { answers } from '@plant-store/contract';
import { Argument, Command } from 'commander';

const BENCHMARKS = ['receiver', 'full-inbox', 'postgres', 'sender', 'outbox'];

const { processedArgs } = new Command('bench')
  .addArgument(new Argument('[name...]', 'the benchmarks').choices(BENCHMARKS).default(BENCHMARKS, 'all'))
  .showHelpAfterError()
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();

const isOpen = Object.keys(answers).length === 0;
const options = isOpen ? [] : ['--import', './libs/test-support/everything-open.mjs'];
const program = fileURLToPath(new URL('run.js', import.meta.url));
for (const name of processedArgs[0] as string[]) {
  const { status } = spawnSync(process.execPath, [...options, program, name], { stdio: 'inherit' });
  process.exitCode ||= status ?? 1;
}
