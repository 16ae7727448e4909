import { answeredSettingsOf } from '../answers/answered-settings-of.js';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import { essenceOf, isMediaType } from '../encoders/media-type.js';
import { InvalidOptionsError } from '../errors/invalid-options-error.js';
import { tokenSyntax } from '../options/read-access-token.js';
import { readEventId } from '../options/read-event-id.js';
import { resolveSettings, type Settings } from '../options/resolve-settings.js';
import type { SecretSources } from './advice-on-refusal.js';
import { BadInput } from './bad-input.js';
import type { CommandContext } from './command-context.js';
import {
  accessTokenSecret,
  checkAccessToken,
  findSecret,
  type FoundSecret,
  signingKeySecret,
} from './find-secret.js';
import type { ParsedArguments } from './parse-arguments.js';
import { readContent } from './read-content.js';
import { contentTypeOf, flagOf, senderOptions } from './sender-options.js';

/** Everything that a delivery from the command line needs. */
export interface Prepared {
  readonly settings: Settings<Uint8Array>;
  readonly content: Uint8Array;
  /** The identifier of the event, where the answers ask for it. */
  readonly eventId: string | undefined;
  /** Where the access token and the signing key were found. */
  readonly secrets: SecretSources;
}

/**
 * Reads and checks all input before anything is sent. Standard input is read only when the rest is right.
 *
 * @throws BadInput with every fault.
 */
export async function prepare(parsed: ParsedArguments, context: CommandContext): Promise<Prepared> {
  const { given, signal, stdin } = context;
  const answered = answeredSettingsOf(given);
  const faults = [...parsed.faults, ...operandFaults(parsed), ...contentTypeFaults(parsed, answered)];
  const eventId = await collect(faults, () => eventIdOf(parsed, answered));
  const token = await collect(faults, () => findAccessToken(parsed, context, answered));
  const key = await collect(faults, () => findSigningKey(parsed, context, answered));
  const options = senderOptions(parsed, answered, () => token!.text, key?.text);
  const isKeyMissing = answered.signing !== undefined && key === undefined;
  const settings = await collect(
    faults,
    () => resolveSettings<Uint8Array>(given, options),
    isKeyMissing ? 'signingKey' : undefined,
  );
  const [operand] = parsed.operands.slice(1);
  const readable = operand !== undefined && (operand !== '-' || faults.length === 0);
  const content = readable ? await collect(faults, () => readContent(operand, stdin, signal)) : undefined;
  if (faults.length > 0) throw new BadInput(...faults);
  const secrets = { token: token!.source, key: key?.source };
  return { settings: settings!, content: content!, eventId, secrets };
}

function operandFaults({ operands }: ParsedArguments): string[] {
  const files = operands.length - 1;
  if (files === 1) return [];
  return [`Name one FILE to send, or - for standard input; there were ${files === 0 ? 'none' : files}.`];
}

function contentTypeFaults(parsed: ParsedArguments, answered: AnsweredSettings): string[] {
  const mediaType = contentTypeOf(parsed, answered);
  if (mediaType === undefined || mediaType === '') return [];
  if (!isMediaType(mediaType)) {
    return ['--content-type must be a media type, as type/subtype (RFC 9110 §8.3.1).'];
  }
  const answer = answered.mediaType;
  return answer === undefined || essenceOf(mediaType) === essenceOf(answer)
    ? []
    : [`--content-type must be ${answer}, which is the answer to the question media-type.`];
}

function eventIdOf({ values }: ParsedArguments, { eventIdHeader }: AnsweredSettings): string | undefined {
  return eventIdHeader === undefined ? undefined : readEventId(values['event-id']);
}

async function findAccessToken(
  { values }: ParsedArguments,
  { environment, signal }: CommandContext,
  { tokenPattern }: AnsweredSettings,
): Promise<FoundSecret> {
  const found = await findSecret(accessTokenSecret, values['access-token-file'], environment, signal);
  return checkAccessToken(found, tokenSyntax(tokenPattern));
}

async function findSigningKey(
  { values }: ParsedArguments,
  { environment, signal }: CommandContext,
  { signing }: AnsweredSettings,
): Promise<FoundSecret | undefined> {
  if (signing === undefined) return undefined;
  return findSecret(signingKeySecret, values['signing-key-file'], environment, signal);
}

async function collect<T>(
  faults: string[],
  read: () => T | Promise<T>,
  known?: string,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof BadInput) faults.push(...error.faults);
    else if (error instanceof InvalidOptionsError) faults.push(...optionFaults(error, known));
    else throw error;
    return undefined;
  }
}

function optionFaults({ faults }: InvalidOptionsError, known: string | undefined): string[] {
  return faults
    .filter(({ option }) => option !== known)
    .map(({ option, problem }) => `${flagOf(option)} ${problem}`);
}
