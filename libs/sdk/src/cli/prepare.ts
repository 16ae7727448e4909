import type { Answers } from '@plant-store/contract';
import { isMediaType } from '../encoders/media-type.js';
import { InvalidOptionsError } from '../errors/invalid-options-error.js';
import { resolveSettings, type Settings } from '../options/resolve-settings.js';
import { BadInput } from './bad-input.js';
import type { CommandContext } from './command-context.js';
import { findAccessToken } from './find-access-token.js';
import type { ParsedArguments } from './parse-arguments.js';
import { readContent } from './read-content.js';
import { contentTypeOf, flagOf, senderOptions } from './sender-options.js';

/** Everything that a delivery from the command line needs. */
export interface Prepared {
  readonly settings: Settings<Uint8Array>;
  readonly content: Uint8Array;
  /** Where the access token was found. */
  readonly tokenSource: string;
}

/**
 * Reads and checks all input before anything is sent. Standard input is read only when the rest is right.
 *
 * @throws BadInput with every fault.
 */
export async function prepare(parsed: ParsedArguments, context: CommandContext): Promise<Prepared> {
  const { environment, given, signal, stdin } = context;
  const faults = [...parsed.faults, ...operandFaults(parsed), ...contentTypeFaults(parsed, given)];
  const found = await collect(faults, () =>
    findAccessToken(parsed.values['access-token-file'], environment, signal),
  );
  const settings = await collect(faults, () =>
    resolveSettings<Uint8Array>(
      given,
      senderOptions(parsed, given, () => found!.token),
    ),
  );
  const [operand] = parsed.operands.slice(1);
  const readable = operand !== undefined && (operand !== '-' || faults.length === 0);
  const content = readable ? await collect(faults, () => readContent(operand, stdin, signal)) : undefined;
  if (faults.length > 0) throw new BadInput(...faults);
  return { settings: settings!, content: content!, tokenSource: found!.source };
}

function operandFaults({ operands }: ParsedArguments): string[] {
  const files = operands.length - 1;
  if (files === 1) return [];
  return [`Name one FILE to send, or - for standard input; there were ${files === 0 ? 'none' : files}.`];
}

function contentTypeFaults(parsed: ParsedArguments, given: Answers): string[] {
  const mediaType = contentTypeOf(parsed, given);
  return mediaType === undefined || mediaType === '' || isMediaType(mediaType)
    ? []
    : ['--content-type must be a media type, as type/subtype (RFC 9110 §8.3.1).'];
}

async function collect<T>(faults: string[], read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof BadInput) faults.push(...error.faults);
    else if (error instanceof InvalidOptionsError) faults.push(...optionFaults(error));
    else throw error;
    return undefined;
  }
}

function optionFaults({ faults }: InvalidOptionsError): string[] {
  return faults.map(({ option, problem }) => `${flagOf(option)} ${problem}`);
}
