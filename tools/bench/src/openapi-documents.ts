/** Makes a pair of large OpenAPI documents to be compared. Nothing in them says what a plant looks like. */

const WEBHOOKS = 350;
const SCHEMAS = 1_400;
const FIELDS = 12;

/** Every so many fields and webhooks, the second document says something else. */
const CHANGED_FIELD = 97;
const CHANGED_WEBHOOK = 20;

interface Pair {
  readonly first: object;
  readonly second: object;
}

/**
 * About 6 MB each as JSON: webhooks whose payloads share schemas, which refer to others three levels deep and
 * never back, for the peer's stack overflows on documents that are recursive throughout. The second has other
 * descriptions, limits and enums, and a few webhooks more or less.
 */
export function openapiDocuments(): Pair {
  return { first: documentOf(false), second: documentOf(true) };
}

function documentOf(isSecond: boolean): object {
  const numbers = Array.from({ length: WEBHOOKS }, (_, number) => number);
  const present = numbers.filter((number) => number % CHANGED_WEBHOOK !== (isSecond ? 1 : 0));
  const webhooks = Object.fromEntries(present.map((number) => [`hook-${number}`, webhook(number)]));
  const schemas = Object.fromEntries(
    Array.from({ length: SCHEMAS }, (_, number) => [`Schema${number}`, schema(number, isSecond)]),
  );
  const info = { title: 'Large document', version: '1', license: { name: 'MIT', identifier: 'MIT' } };
  return { openapi: '3.1.0', info, webhooks, components: { schemas } };
}

function webhook(number: number): object {
  return {
    post: {
      operationId: `hook${number}`,
      summary: `Arbitrary webhook ${number}`,
      requestBody: { required: true, content: { 'application/json': { schema: reference(number * 4) } } },
      responses: {
        '204': { description: 'Taken' },
        '400': { description: 'Refused', content: { 'application/json': { schema: reference(number) } } },
      },
    },
  };
}

function schema(number: number, isSecond: boolean): object {
  const names = Array.from({ length: FIELDS }, (_, field) => `field${field}`);
  const properties = names.map((name, field) => {
    const isChanged = isSecond && (number * FIELDS + field) % CHANGED_FIELD === 0;
    return [name, property(number, field, isChanged)] as const;
  });
  const isLeaf = number % 4 === 3;
  const nested = isLeaf
    ? {}
    : { nested: reference(number + 1), list: { type: 'array', items: reference(number + 1) } };
  return {
    type: 'object',
    description: `Arbitrary object ${number}`,
    required: names.slice(0, 4),
    properties: { ...Object.fromEntries(properties), ...nested },
  };
}

function property(number: number, field: number, isChanged: boolean): object {
  return {
    type: 'string',
    description: `Arbitrary text ${field} of object ${number}${isChanged ? ', changed' : ''}`,
    maxLength: isChanged ? 200 : 100,
    enum: ['one', 'two', isChanged ? 'four' : 'three'],
    examples: [`an example ${number}-${field}`],
  };
}

function reference(number: number): object {
  return { $ref: `#/components/schemas/Schema${number}` };
}
