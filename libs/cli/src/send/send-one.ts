import { buffer } from 'node:stream/consumers';
import { isPlantStoreError } from '@plant-store/sdk';
import { BadInput, type CommandContext, exitCodeOf, printJson, say } from '../context.js';
import { findInput } from '../input.js';
import { adviceOn, describeFailure, failureRecord, resultOf } from './failures.js';
import { checkSend, encode, type Sendable, type SendValues } from './send-values.js';
import { prepareSender } from './prepare-sender.js';

/** `plant-store send FILE|-`: sends one plant. */
export async function sendOne(file: string, values: SendValues, context: CommandContext): Promise<number> {
  const faults = checkSend(values, context);
  const prepared = await prepareSender<Sendable>(values, context, encode(values, context), faults);
  const { settings, sender } = prepared;
  try {
    const input = await findInput(file, context);
    const content = await buffer(input.read());
    const bytes = content.byteLength;
    if (bytes === 0)
      throw new BadInput(`${input.name} is empty. A delivery must carry information about a plant.`);
    // The content has the fields of the event already.
    const options = { signal: context.signal, eventId: values.eventId, event: {} };
    const { status } = await sender.send({ content }, options);
    const { method } = settings;
    const { url } = settings.target;
    const exitCode = exitCodeOf({ acknowledged: 1 });
    if (values.output === 'json')
      printJson({ exitCode, outcome: 'acknowledged', status, bytes, method, url }, context);
    else context.stdout.write(`acknowledged: ${status}, ${bytes} bytes sent with ${method} to ${url}\n`);
    return exitCode;
  } catch (error) {
    if (!isPlantStoreError(error)) throw error;
    say(describeFailure(error), context);
    const exitCode = exitCodeOf({ [resultOf(error)]: 1 });
    if (values.output === 'json')
      printJson({ exitCode, ...failureRecord(error), advice: adviceOn(error) }, context);
    return exitCode;
  } finally {
    await prepared.close();
  }
}
