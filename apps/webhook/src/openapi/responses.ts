import { isJsonMediaType, type ReceiverResponse, type StatusCodes } from '@plant-store/contract';

import type { ContentParts, ResponseParts } from './document-parts.js';

/** The response to a delivery that was taken, with what it holds as an example if it holds anything. */
export function takenResponse(response: ReceiverResponse): ResponseParts {
  const { status, description } = response;
  const content = 'content' in response ? response.content : undefined;
  return { [status]: { description, ...(content && { content: exampleOf(content) }) } };
}

function exampleOf({ mediaType, text }: { mediaType: string; text: string }): ContentParts {
  return { [mediaType]: { example: isJsonMediaType(mediaType) ? JSON.parse(text) : text } };
}

/** The responses to deliveries that were not taken. Failures with the same status are described one after another. */
export function failureResponses(codes: StatusCodes): ResponseParts {
  const descriptions = new Map<number, Set<string>>();
  for (const { status, description } of Object.values(codes)) {
    descriptions.set(status, (descriptions.get(status) ?? new Set()).add(description));
  }
  return Object.fromEntries(
    [...descriptions].map(([status, texts]) => [status, { description: [...texts].join('\n\n') }]),
  );
}
