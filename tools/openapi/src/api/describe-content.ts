import { scalarText, type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { toPlain } from '../read/to-plain.js';
import { describeSchema } from './describe-schema.js';
import type { DocumentReader } from './document-reader.js';
import { jsonText } from './json-text.js';
import { type Block, type Text, textOf } from './page.js';

/**
 * The media types of a request or a response, each with its fields and its examples.
 *
 * @param what begins the captions, as `Payload`
 */
export function describeContent(
  reader: DocumentReader,
  content: SourceNode | undefined,
  what: string,
): Block[] {
  return reader.entries(content).flatMap(([mediaType, value]): Block[] => {
    const schema = valueAt(value, 'schema');
    const caption = `${what} as ${mediaType}`;
    const named: Block = { kind: 'facts', facts: [{ name: 'Media type', value: [{ code: mediaType }] }] };
    return [
      named,
      ...(schema === undefined ? [] : [describeSchema(reader, schema, caption)]),
      ...examplesOf(reader, value, schema).map(describeExample),
    ];
  });
}

/** The fields of a schema that stands alone, and its examples. */
export function describeFields(reader: DocumentReader, schema: SourceNode, caption: string): Block[] {
  return [
    describeSchema(reader, schema, caption),
    ...examplesOf(reader, undefined, schema).map(describeExample),
  ];
}

function describeExample({ name, example }: Example): Block {
  return { kind: 'code', caption: name, ...codeOf(example) };
}

interface Example {
  readonly name: Text;
  readonly example: SourceNode;
}

function examplesOf(
  reader: DocumentReader,
  media: SourceNode | undefined,
  written: SourceNode | undefined,
): Example[] {
  const schema = written === undefined ? undefined : reader.follow(written);
  const single = [media && valueAt(media, 'example'), schema && valueAt(schema, 'example')];
  const ofSchema = schema === undefined ? undefined : valueAt(schema, 'examples');
  return [
    ...reader.entries(media && valueAt(media, 'examples')).flatMap(([key, example]): Example[] => {
      const value = valueAt(example, 'value');
      const name = textOf(`Example: ${stringAt(example, 'summary') ?? key}`);
      return value === undefined ? [] : [{ name, example: value }];
    }),
    ...[...single, ...reader.items(ofSchema)].flatMap((example): Example[] =>
      example === undefined ? [] : [{ name: ['Example'], example }],
    ),
  ];
}

function codeOf(example: SourceNode): { language: string; code: string } {
  if (example.kind !== 'scalar') return { language: 'json', code: jsonText(toPlain(example)) };
  const { value } = example;
  return typeof value === 'string'
    ? { language: 'text', code: value }
    : { language: 'json', code: scalarText(example) };
}
