import type { ContentStep, HeadCheck } from '../answers/receiver-effect.js';
import { headerOf } from '../http/header-of.js';
import { Refusal } from '../http/refusal.js';
import { isEventId } from '../inbox/is-event-id.js';

/** Refuses a delivery without an identifier of its event in this field (question `event-identity`). */
export function checkEventIdField(name: string): HeadCheck {
  return (request) => {
    if (headerOf(request, name) === undefined) throw missing();
  };
}

/** Takes the identifier of the event from a field of the request. */
export function takeEventIdFromField(name: string): ContentStep {
  return (inspection) => {
    inspection.eventId = headerOf(inspection.request, name) ?? null;
  };
}

/**
 * Takes the identifier of the event from JSON content, at a JSON Pointer (RFC 6901): text that can be kept, or a whole
 * number that can be told from every other (RFC 8259 §6). Larger ones would be rounded, and two events taken for one.
 */
export function takeEventIdFromContent(pointer: string): ContentStep {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return (inspection) => {
    const found = keys.reduce(memberOf, inspection.json);
    if (!isIdentifier(found)) throw missing();
    inspection.eventId = String(found);
  };
}

/** A member of an object, or an element of an array, whose index has no leading zero (RFC 6901 §4). */
function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function isIdentifier(value: unknown): value is string | number {
  return typeof value === 'string' ? value !== '' && isEventId(value) : Number.isSafeInteger(value);
}

function missing(): Refusal {
  return new Refusal('event-id-missing');
}
