import type { ContentStep } from '../answers/receiver-effect.js';
import { Refusal } from '../http/refusal.js';

/** A byte order mark is kept, which is then no JSON (RFC 8259 §8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses the content. What is no JSON in UTF-8 is refused. */
export const parseJson: ContentStep = (inspection) => {
  try {
    inspection.json = JSON.parse(utf8.decode(inspection.content));
  } catch (cause) {
    throw new Refusal('content-malformed', {}, { cause });
  }
};
