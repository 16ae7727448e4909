import { openQuestions } from '@plant-store/contract';
import { essenceOf, isMediaType } from '@plant-store/sdk/internal';
import type { CommandContext, OutputValues } from '../context.js';
import type { SenderValues } from './sender-options.js';

/** The values of the options of `plant-store send`. */
export interface SendValues extends SenderValues, OutputValues {
  readonly contentType?: string;
  readonly eventId?: string;
}

/** What is sent: the bytes of a file. */
export interface Sendable {
  readonly content: Uint8Array;
}

/** Encodes bytes unchanged, with the media type of the option, or else of the answer. */
export function encode({ contentType }: SendValues, { given }: CommandContext) {
  const mediaType = contentType ?? given['media-type'];
  return ({ content }: Sendable) => ({ content, mediaType });
}

/** What is wrong with the options of `plant-store send` that aren't those of a sender. */
export function checkSend(values: SendValues, { given }: CommandContext): string[] {
  const { 'event-identity': identity, 'media-type': mediaType } = given;
  const { contentType, eventId } = values;
  const question = openQuestions.find(({ id }) => id === 'media-type')!;
  const rules: readonly (readonly [isWrong: unknown, fault: string])[] = [
    [
      identity !== undefined && 'header' in identity && eventId === undefined,
      `--event-id is missing. Each delivery needs the identifier of its event (question event-identity).`,
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
