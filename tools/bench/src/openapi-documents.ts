/**
 * Two large OpenAPI documents to compare, about 6 MB each as JSON: webhooks whose payloads share schemas, which refer
 * to others three levels deep and never back, because the peer overflows its stack on documents that are recursive
 * throughout. The second has other descriptions, limits and enums, and other webhooks. The content is arbitrary: it
 * implies nothing about the fields of a plant.
 */
export function openapiDocuments(): readonly [object, object] {
  return [documentOf(false), documentOf(true)];
}

const webhookCount = 350;
const schemaCount = 1_400;
const fieldCount = 12;

function documentOf(isSecond: boolean): object {
  const present = numbersBelow(webhookCount).filter((number) => number % 20 !== (isSecond ? 1 : 0));
  return {
    openapi: '3.1.0',
    info: { title: 'Large document', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    webhooks: Object.fromEntries(present.map((number) => [`hook-${number}`, webhook(number)])),
    components: {
      schemas: Object.fromEntries(
        numbersBelow(schemaCount).map((number) => [`Schema${number}`, schema(number, isSecond)]),
      ),
    },
  };
}

function webhook(number: number): object {
  const content = (schema: object): object => ({ 'application/json': { schema } });
  return {
    post: {
      operationId: `hook${number}`,
      summary: `Arbitrary webhook ${number}`,
      requestBody: { required: true, content: content(reference(number * 4)) },
      responses: {
        '204': { description: 'Taken' },
        '400': { description: 'Refused', content: content(reference(number)) },
      },
    },
  };
}

function schema(number: number, isSecond: boolean): object {
  const fields = Object.fromEntries(
    numbersBelow(fieldCount).map((field) => {
      const isChanged = isSecond && (number * fieldCount + field) % 97 === 0;
      return [`field${field}`, property(number, field, isChanged)] as const;
    }),
  );
  const isLeaf = number % 4 === 3;
  const next = reference(number + 1);
  return {
    type: 'object',
    description: `Arbitrary object ${number}`,
    required: numbersBelow(4).map((field) => `field${field}`),
    properties: { ...fields, ...(isLeaf ? {} : { nested: next, list: { type: 'array', items: next } }) },
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

function numbersBelow(limit: number): number[] {
  return Array.from({ length: limit }, (_, number) => number);
}
