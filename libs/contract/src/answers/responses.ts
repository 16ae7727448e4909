import { isJsonMediaType } from '../answer-kinds/media-type.js';
import type { ReceiverResponse } from '../answer-kinds/receiver-response.js';
import { MEDIA_TYPE_PATTERN } from './media-type-pattern.js';
import { unless } from './unless.js';

/** What is wrong with an answer to `receiver-response`. */
export function responseFaults(response: ReceiverResponse): string[] {
  const { status, description } = response;
  const content = 'content' in response ? response.content : undefined;
  return [
    ...unless(description.trim() !== '', 'has no description'),
    ...unless(
      content === undefined || ![204, 205].includes(status),
      `has content, which a ${status} cannot have`,
    ),
    ...(content === undefined ? [] : contentFaults(content)),
  ];
}

function contentFaults({ mediaType, text }: { mediaType: string; text: string }): string[] {
  return [
    ...unless(MEDIA_TYPE_PATTERN.test(mediaType), 'has content of no media type'),
    ...unless(!isJsonMediaType(mediaType) || isJson(text), 'has content that is not of its media type'),
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
