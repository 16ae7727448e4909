import { openSender } from '../../new-plant-sender.js';
import { type CommandContext, printJson } from '../command-line/command.js';
import { prepare, type SendArguments } from '../send/prepare.js';
import { startDisplay } from './display.js';
import { Run, type SentLine } from './run.js';
import { findFiles, openFiles } from './run-files.js';
import { Tally } from './tally.js';

/** `plant-store send FILE|- --ndjson`: sends each line as one plant. */
export async function sendLines(parsed: SendArguments, context: CommandContext): Promise<number> {
  const { signal, stderr, stdout } = context;
  const prepared = await prepare(parsed, context, (operand) => findFiles(operand, parsed, context));
  const { settings, input: found } = prepared;
  const files = await openFiles(found, settings.target.url, signal);
  const tally = new Tally();
  const display = await startDisplay(stderr, tally, files.input.bytes);
  const resendsUnknown = Object.hasOwn(parsed.values, 'resend-unknown');
  const run = new Run(files, prepared, resendsUnknown, tally, display, signal);
  const sender = openSender<SentLine>(settings);
  const secondSignal = context.catchSecondInterrupt();
  const options = {
    signal: secondSignal,
    // A line has the fields of its event already.
    optionsOf: ({ eventId }: SentLine) => ({ eventId, event: {} }),
  };
  signal.addEventListener('abort', () => run.tellInterrupt());
  try {
    for await (const result of sender.sendAll(run.plants(), options)) run.note(result);
  } catch (error) {
    // The results of all deliveries came before this.
    if (!secondSignal.aborted) throw error;
  } finally {
    await sender.close();
    run.close();
    display.stop();
  }
  for (const advice of run.advice()) stderr.write(`plant-store: ${advice}\n`);
  const { exitCode } = tally;
  if (parsed.values.json === undefined) stdout.write(`${tally.toString()}\n`);
  else printJson({ exitCode, ...tally.record(), progress: run.remainingProgress ?? null }, context);
  return exitCode;
}
