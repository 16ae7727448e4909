import { PlantStoreError } from '../../errors/plant-store-error.js';
import { openSender } from '../../new-plant-sender.js';
import type { ParsedArguments } from '../command-line/arguments.js';
import { BadInput } from '../command-line/bad-input.js';
import type { CommandContext } from '../command-line/command.js';
import { exitCodeOf, exitCodes } from '../command-line/exit-codes.js';
import { describeFailure } from './describe-failure.js';
import { prepare } from './prepare.js';
import type { SendOptionName } from './send-options.js';

/** `plant-store send FILE|-`: sends one plant. */
export async function send(
  parsed: ParsedArguments<SendOptionName>,
  context: CommandContext,
): Promise<number> {
  try {
    return await sendOne(parsed, context);
  } catch (error) {
    if (error instanceof BadInput || !context.signal.aborted) throw error;
    context.stderr.write('plant-store: not sent: interrupted.\n');
    return exitCodes.notSent;
  }
}

async function sendOne(parsed: ParsedArguments<SendOptionName>, context: CommandContext): Promise<number> {
  const { settings, content, eventId, secrets } = await prepare(parsed, context);
  const { method, target } = settings;
  const sender = openSender(settings);
  try {
    // The content has the fields of the event already.
    const { status } = await sender.send(content, { signal: context.signal, eventId, event: {} });
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
