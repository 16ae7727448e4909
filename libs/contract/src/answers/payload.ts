/** The answer to the question `payload`: what is sent, and how the document describes it. */
import { componentNameFaults, textFaults, unless } from './checks.js';
import type { SchemaNames } from './components.js';

/** The shape of the payload: the plant alone, or an object with the plant in a field. */
export type PayloadShape = { readonly shape: 'plant' } | { readonly plantField: string };

/** What is sent (question `payload`): its shape, and what the document says about it beside. */
export type PayloadAnswer = 'plant' | (PayloadShape & PayloadDescription);

/** What the document says about the payload. What is left out is not in the document. */
export interface PayloadDescription {
  /** Of the request body. */
  readonly description?: string;
  /** Of the schemas. */
  readonly names?: SchemaNames;
}

/** The field with the plant; undefined if the plant is alone. */
export function plantFieldOf(payload: PayloadAnswer | undefined): string | undefined {
  return typeof payload === 'object' && 'plantField' in payload ? payload.plantField : undefined;
}

/** What an answer says about the payload beside its shape. */
export function payloadDescriptionOf(payload: PayloadAnswer | undefined): PayloadDescription {
  return typeof payload === 'object' ? payload : {};
}

export function payloadFaults(payload: PayloadAnswer): string[] {
  const { description, names = {} } = payloadDescriptionOf(payload);
  return [
    ...unless(plantFieldOf(payload) !== '', 'plantField must not be empty'),
    ...(description === undefined ? [] : textFaults('description', description)),
    ...Object.entries(names as Readonly<Record<string, string>>).flatMap(([of, name]) =>
      componentNameFaults(`names.${of}`, name),
    ),
  ];
}
