import { PlantStoreError } from '../../errors/plant-store-error.js';
import { openSender } from '../../new-plant-sender.js';
import { type CommandContext, printJson } from '../command-line/command.js';
import { exitCodes, resultOf } from '../command-line/exit-codes.js';
import { readContent } from '../input/input-file.js';
import { describeFailure, failureRecord } from './describe-failure.js';
import { prepare, type SendArguments } from './prepare.js';

/** `plant-store send FILE|-`: sends one plant. */
export async function sendOne(parsed: SendArguments, context: CommandContext): Promise<number> {
  const { settings, input, eventId, secrets } = await prepare(parsed, context, (operand) =>
    readContent(operand, context),
  );
  const { method, target } = settings;
  const isJson = parsed.values.json !== undefined;
  const sender = openSender(settings);
  try {
    // The content has the fields of the event already.
    const options = { signal: context.signal, eventId, event: {} };
    const { status } = await sender.send({ content: input }, options);
    const bytes = input.byteLength;
    const { url } = target;
    const exitCode = exitCodes.acknowledged;
    if (isJson) printJson({ exitCode, outcome: 'acknowledged', status, bytes, method, url }, context);
    else context.stdout.write(`acknowledged: ${status}, ${bytes} bytes sent with ${method} to ${url}\n`);
    return exitCode;
  } catch (error) {
    if (!(error instanceof PlantStoreError)) throw error;
    context.stderr.write(`plant-store: ${describeFailure(error, secrets)}\n`);
    const exitCode = exitCodes[resultOf(error)];
    if (isJson) printJson({ exitCode, ...failureRecord(error) }, context);
    return exitCode;
  } finally {
    await sender.close();
  }
}
