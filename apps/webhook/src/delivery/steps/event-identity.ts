import { keysOf, partAt } from '@plant-store/contract';

import { Refusal } from '../../http/refusal.js';
import { headerOf } from '../../http/message.js';
import { isStorable } from '../../inbox/delivery.js';
import type { ContentStep, HeadStep } from '../pipeline.js';

/** Refuses a delivery without an identifier of its event in this header field (question `event-identity`). */
export function requireEventIdField(name: string): HeadStep {
  return (request) => {
    if (headerOf(request, name) === undefined) throw missing();
  };
}

/** Takes the identifier of the event from a header field of the request. */
export function takeEventIdFromField(name: string): ContentStep {
  return (delivery) => {
    delivery.eventId = headerOf(delivery.request, name) ?? null;
  };
}

/**
 * Takes the identifier of the event from JSON content, at a JSON Pointer (RFC 6901). It must be text that an inbox can
 * store, or a safe integer (RFC 8259 §6): larger numbers are rounded, and two events could look like one.
 */
export function takeEventIdFromContent(pointer: string): ContentStep {
  const keys = keysOf(pointer);
  return (delivery) => {
    const found = partAt(delivery.json, keys);
    if (!isIdentifier(found)) throw missing();
    delivery.eventId = String(found);
  };
}

function isIdentifier(value: unknown): value is string | number {
  return typeof value === 'string' ? value !== '' && isStorable(value) : Number.isSafeInteger(value);
}

function missing(): Refusal {
  return new Refusal('event-id-missing');
}
