import { openQuestions } from '@plant-store/contract';
import { isPlantStoreError } from '@plant-store/sdk';
import { essenceOf, isMediaType } from '@plant-store/sdk/internal';
import { BadInput, type CommandContext, exitCodes, type OutputValues, printJson, say } from '../context.js';
import { readInput } from '../input.js';
import { adviceOn, describeFailure, exitCodeOf, failureRecord } from './failures.js';
import { prepareSender } from './prepare-sender.js';
import type { SenderValues } from './sender-options.js';

/** The values of the options of `plant-store send`. */
export interface SendValues extends SenderValues, OutputValues {
  readonly content?: string;
  readonly contentType?: string;
  readonly eventId?: string;
}

/** `plant-store send`: sends one plant. @returns the exit code */
export async function runSend(
  file: string | undefined,
  values: SendValues,
  context: CommandContext,
): Promise<number> {
  const mediaType = values.contentType ?? context.given['media-type'];
  const encode = (content: Uint8Array) => ({ content, mediaType });
  const faults = faultsOf(file, values, context);
  const { settings, sender, close } = await prepareSender(values, context, encode, faults);
  try {
    const { name, content } =
      values.content === undefined
        ? await readInput(file!, context)
        : { name: 'The value of --content', content: Buffer.from(values.content) };
    const bytes = content.byteLength;
    if (bytes === 0) throw new BadInput(`${name} is empty. A delivery must carry information about a plant.`);
    // The content has the fields of the event already.
    const options = { signal: context.signal, eventId: values.eventId, event: {} };
    const { status } = await sender.send(content, options);
    const { method } = settings;
    const { url } = settings.target;
    const exitCode = exitCodes.acknowledged;
    if (values.output === 'json')
      printJson({ exitCode, outcome: 'acknowledged', status, bytes, method, url }, context);
    else context.stdout.write(`acknowledged: ${status}, ${bytes} bytes sent with ${method} to ${url}\n`);
    return exitCode;
  } catch (error) {
    if (!isPlantStoreError(error)) throw error;
    say(describeFailure(error), context);
    const exitCode = exitCodeOf(error);
    if (values.output === 'json')
      printJson({ exitCode, ...failureRecord(error), advice: adviceOn(error) }, context);
    return exitCode;
  } finally {
    await close();
  }
}

/** What is wrong with the command line beside the options of a sender. */
function faultsOf(file: string | undefined, values: SendValues, { given }: CommandContext): string[] {
  const { content, contentType, eventId } = values;
  const { 'event-identity': identity, 'media-type': mediaType } = given;
  const question = openQuestions.find(({ id }) => id === 'media-type')!;
  const rules: readonly (readonly [isWrong: unknown, fault: string])[] = [
    [
      (file === undefined) === (content === undefined),
      'Name a file, or - for standard input, or pass --content (and not both).',
    ],
    [
      content?.includes('\ufffd'),
      '--content has bytes that are not UTF-8, or U+FFFD. Send it from a file or standard input.',
    ],
    [
      identity !== undefined && 'header' in identity && eventId === undefined,
      '--event-id is missing. Each delivery needs the identifier of its event (question event-identity).',
    ],
    [
      contentType === undefined && mediaType === undefined,
      `--content-type is missing. It has no default while the question media-type is open: "${question.question}" Expected: ${question.answer}`,
    ],
    [
      contentType !== undefined && !isMediaType(contentType),
      '--content-type must be a media type, such as type/subtype (RFC 9110 §8.3.1).',
    ],
    [
      contentType && mediaType && essenceOf(contentType) !== essenceOf(mediaType),
      `--content-type must be ${mediaType}, the answer to the question media-type.`,
    ],
  ];
  return rules.filter(([isWrong]) => Boolean(isWrong)).map(([, fault]) => fault);
}
