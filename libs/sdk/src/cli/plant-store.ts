/** The `plant-store` command: the only file that touches the process. */
import { answers } from '@plant-store/contract';
import { exitCodes } from './exit-codes.js';
import { runCommand } from './run-command.js';

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interruption.abort(new Error(`Interrupted by ${name}.`)));
}

// A reader that went away changes nothing about the delivery; the exit code still tells.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  process.exitCode = await runCommand(process.argv.slice(2), {
    given: answers,
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interruption.signal,
  });
} catch (error) {
  process.exitCode = exitCodes.unknown;
  console.error('plant-store: this is a fault of the command itself.', error);
}
