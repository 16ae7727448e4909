import { isPointer, openQuestions } from '@plant-store/contract';

import { type AnsweredSettings, answeredSettingsOf } from '../../answers/settings-table.js';
import { tokenSyntax } from '../../delivery/access-token.js';
import { readEventId } from '../../encoders/encode-plant.js';
import { essenceOf, isMediaType } from '../../encoders/media-type.js';
import { InvalidOptionsError, type OptionFault } from '../../errors/invalid-options-error.js';
import { resolveSettings, type Settings } from '../../options/resolve-settings.js';
import type { UncheckedOptions } from '../../options/sender-options.js';
import type { ParsedArguments } from '../command-line/arguments.js';
import { BadInput } from '../command-line/bad-input.js';
import type { CommandContext } from '../command-line/command.js';
import {
  accessTokenSecret,
  checkAccessToken,
  findSecret,
  type FoundSecret,
  signingKeySecret,
} from '../input/secrets.js';
import type { SecretSources } from './describe-failure.js';
import { combinationFaults, type SendOptionName } from './send-options.js';

/** The parsed command line of `plant-store send`. */
export type SendArguments = ParsedArguments<SendOptionName>;

/** What is sent: the bytes of a file, or of a line. */
export interface Sendable {
  readonly content: Uint8Array;
}

/** Everything that deliveries from the command line need. */
export interface Prepared<Input> {
  readonly settings: Settings<Sendable>;
  readonly input: Input;
  readonly secrets: SecretSources;
  /** The identifier of the event, if the answers ask for it and one plant is sent. */
  readonly eventId: string | undefined;
  /** Where a line has the identifier of its event, if the answers ask for it and lines are sent. */
  readonly eventIdPointer: string | undefined;
}

/**
 * Reads and checks all input before anything is sent. Standard input is only read if everything else is right.
 *
 * @throws BadInput with every fault.
 */
export async function prepare<Input>(
  parsed: SendArguments,
  context: CommandContext,
  readInput: (operand: string) => Promise<Input>,
): Promise<Prepared<Input>> {
  const answered = answeredSettingsOf(context.given, context.accepts);
  const faults = [...parsed.faults, ...combinationFaults(parsed.values), ...operandFaults(parsed)];
  const collect = collector(faults, parsed);
  const isOne = parsed.values.ndjson === undefined;
  const eventId = isOne ? await collect(() => eventIdOf(parsed, answered)) : undefined;
  const eventIdPointer = isOne ? undefined : await collect(() => eventIdPointerOf(parsed, answered));
  const token = await collect(() => findAccessToken(parsed, context, answered), 'access-token-file');
  const key = await collect(() => findSigningKey(parsed, context, answered), 'signing-key-file');
  const options = senderOptions(parsed, answered, () => token!.text, key?.text);
  const settings = await collect(() => resolveSettings<Sendable>(context.given, options, context.accepts));
  await collect(() => checkContentType(contentTypeOf(parsed, answered), answered), 'content-type');
  const [operand] = parsed.operands;
  const isReadable = operand !== undefined && (operand !== '-' || faults.length === 0);
  const input = isReadable ? await collect(() => readInput(operand)) : undefined;
  if (faults.length > 0) throw new BadInput(...faults);
  const secrets = { token: token!.source, key: key?.source };
  return { settings: settings!, input: input!, secrets, eventId, eventIdPointer };
}

function operandFaults({ operands, isIncomplete }: SendArguments): string[] {
  const files = operands.length;
  if (files === 1 || (files === 0 && isIncomplete)) return [];
  return [`Name exactly one FILE, or - for standard input (got ${files}).`];
}

function checkContentType(mediaType: string | undefined, answered: AnsweredSettings): void {
  if (mediaType === undefined) {
    const { id, question, answer } = openQuestions.find((entry) => entry.id === 'media-type')!;
    throw new BadInput(
      `--content-type is missing. It has no default while the question ${id} is open: "${question}" Expected: ${answer}`,
    );
  }
  if (!isMediaType(mediaType))
    throw new BadInput('--content-type must be a media type, such as type/subtype (RFC 9110 §8.3.1).');
  const answer = answered.mediaType;
  if (answer !== undefined && essenceOf(mediaType) !== essenceOf(answer))
    throw new BadInput(`--content-type must be ${answer}, the answer to the question media-type.`);
}

/** The media type of the content: from the command line, else the answer to the question media-type. */
function contentTypeOf({ values }: SendArguments, { mediaType }: AnsweredSettings): string | undefined {
  return values['content-type'] ?? mediaType;
}

function eventIdOf({ values }: SendArguments, { eventIdHeader }: AnsweredSettings): string | undefined {
  return eventIdHeader === undefined ? undefined : readEventId(values['event-id']);
}

function eventIdPointerOf(
  { values, faultyOptions }: SendArguments,
  { eventIdHeader }: AnsweredSettings,
): string | undefined {
  const pointer = values['event-id-pointer'];
  if (eventIdHeader === undefined || faultyOptions.has('event-id-pointer')) return undefined;
  if (pointer !== undefined && isPointer(pointer)) return pointer;
  throw new BadInput(
    pointer === undefined
      ? '--event-id-pointer is missing. Each delivery needs the identifier of its event (question event-identity).'
      : '--event-id-pointer must be a JSON Pointer to a field of each line, such as /id (RFC 6901).',
  );
}

async function findAccessToken(
  { values }: SendArguments,
  { environment, signal }: CommandContext,
  { tokenPattern }: AnsweredSettings,
): Promise<FoundSecret> {
  const found = await findSecret(accessTokenSecret, values['access-token-file'], environment, signal);
  return checkAccessToken(found, tokenSyntax(tokenPattern));
}

async function findSigningKey(
  { values }: SendArguments,
  { environment, signal }: CommandContext,
  { signing }: AnsweredSettings,
): Promise<FoundSecret | undefined> {
  if (signing === undefined) return undefined;
  return findSecret(signingKeySecret, values['signing-key-file'], environment, signal);
}

/** The options of a sender that sends bytes unchanged. They are not checked yet. */
function senderOptions(
  parsed: SendArguments,
  answered: AnsweredSettings,
  accessToken: () => string,
  signingKey: string | undefined,
): UncheckedOptions<Sendable> {
  const { values } = parsed;
  const mediaType = contentTypeOf(parsed, answered);
  return {
    accessToken,
    ...(answered.signing && { signingKey }),
    baseUrl: values['base-url'],
    method: values.method,
    encode: ({ content }: Sendable) => ({ content, mediaType }),
    connectTimeout: numberOf(values['connect-timeout']),
    attemptTimeout: numberOf(values['attempt-timeout']),
    totalTimeout: numberOf(values['total-timeout']),
    maxConnections: numberOf(values.concurrency),
    allowInsecureTransport: values['allow-insecure-transport'] !== undefined,
  };
}

/** Text that isn't a number stays text, which the check of the option refuses. */
function numberOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}

/** The options of the command line, by the options of a sender and of `send`. */
const commandOptionOf: Readonly<Record<string, SendOptionName>> = {
  baseUrl: 'base-url',
  method: 'method',
  signingKey: 'signing-key-file',
  connectTimeout: 'connect-timeout',
  attemptTimeout: 'attempt-timeout',
  totalTimeout: 'total-timeout',
  maxConnections: 'concurrency',
  allowInsecureTransport: 'allow-insecure-transport',
  eventId: 'event-id',
};

/**
 * Makes a function that reads input and collects its faults. An option in `faultyOptions` gets no further faults.
 * The `option` of a reader that fails is added to them.
 */
function collector(faults: string[], parsed: SendArguments) {
  const faultyOptions = new Set(parsed.faultyOptions);
  return async <T>(read: () => T | Promise<T>, option?: SendOptionName): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (error instanceof InvalidOptionsError) {
        const others = error.faults.filter(
          (fault) => !faultyOptions.has(commandOptionOf[fault.option] ?? ''),
        );
        faults.push(...others.map((fault) => describe(fault, parsed)));
      } else if (error instanceof BadInput) {
        if (option === undefined || !faultyOptions.has(option)) faults.push(...error.faults);
        if (option !== undefined) faultyOptions.add(option);
      } else {
        throw error;
      }
      return undefined;
    }
  };
}

/** A sender doesn't repeat text where it expects a number. Here the number was typed, so it is no secret. */
function describe({ option, problem }: OptionFault, { values }: SendArguments): string {
  const text = values[commandOptionOf[option]!];
  return `${nameOf(option)} ${withFlags(problem).replace('(got string)', () => `(got ${text})`)}`;
}

function nameOf(option: string): string {
  if (option === 'signingKey') return 'The signing key';
  const flag = commandOptionOf[option];
  return flag === undefined ? option : `--${flag}`;
}

/** A problem with the options of the command instead of those of a sender. */
function withFlags(problem: string): string {
  return problem.replace(/`(\w+)`/g, (quoted, option: string) =>
    option in commandOptionOf ? nameOf(option) : quoted,
  );
}
