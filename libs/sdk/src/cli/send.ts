import { openSender } from '../open-sender.js';
import { PlantStoreError } from '../errors/plant-store-error.js';
import type { CommandContext } from './command-context.js';
import { describeFailure } from './describe-failure.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import type { ParsedArguments } from './parse-arguments.js';
import { prepare } from './prepare.js';

/** Carries out `plant-store send` and gives its exit code. */
export async function send(parsed: ParsedArguments, context: CommandContext): Promise<number> {
  const { settings, content, eventId, secrets } = await prepare(parsed, context);
  const { method, target } = settings;
  const sender = openSender(settings);
  try {
    const { status } = await sender.send(content, { signal: context.signal, eventId });
    const what = `${content.byteLength} bytes sent with ${method} to ${target.url}`;
    context.stdout.write(`acknowledged: ${status}, ${what}\n`);
    return exitCodes.acknowledged;
  } catch (error) {
    if (!(error instanceof PlantStoreError)) throw error;
    context.stderr.write(`plant-store: ${describeFailure(error, secrets)}\n`);
    return exitCodeOf(error);
  } finally {
    await sender.close();
  }
}
