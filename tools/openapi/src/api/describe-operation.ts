import { type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { describeContent } from './describe-content.js';
import type { Questions } from './describe-questions.js';
import { describeInLine } from './describe-schema.js';
import { describeRequirement } from './describe-security.js';
import { type DocumentReader, jsonOf } from './document-reader.js';
import { type Block, type Fact, type Section, textOf } from './page.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const SHOWN_ELSEWHERE = new Set([
  'summary',
  'description',
  'parameters',
  'requestBody',
  'responses',
  'security',
]);

/** A part of a document that holds operations, and what is needed to describe it. */
export interface PathItem {
  readonly reader: DocumentReader;
  readonly questions: Questions;
  /** Whole document. */
  readonly root: SourceNode;
  readonly key: string;
  readonly node: SourceNode;
  readonly kind: 'webhook' | 'path';
}

/** A webhook or a path with its operations, or with what is open in their place. */
export function describePathItem(item: PathItem): Section {
  const { reader, node, key, kind } = item;
  const operations = reader.entries(node).filter(([method]) => METHODS.includes(method));
  const description = stringAt(node, 'description');
  const id = `${kind}-${key}`;
  const single = operations.length === 1 ? operations[0] : undefined;
  const facts: Fact[] = [
    { name: nameOfKey(kind, key), value: [{ code: key }] },
    { name: 'Method', value: methodsOf(item, operations) },
    ...(operations.length === 0 && kind === 'webhook' ? factsWhileOpen(item) : []),
    ...(single === undefined ? [] : operationFacts(item, single[1])),
  ];
  return {
    id,
    title: stringAt(node, 'summary') ?? (single && stringAt(single[1], 'summary')) ?? key,
    blocks: [
      ...(description === undefined ? [] : [paragraph(description)]),
      { kind: 'facts', facts },
      ...(single === undefined ? [] : introduction(single[1])),
    ],
    sections:
      single === undefined
        ? operations.map(([method, operation]) =>
            describeOperation(item, `${id}-${method}`, method, operation),
          )
        : operationSections(item, id, single[1]),
  };
}

/** The key of a webhook is a path only where it looks like one. */
function nameOfKey(kind: PathItem['kind'], key: string): string {
  if (kind === 'path') return 'Path';
  return key.startsWith('/') ? 'Delivery path' : 'Key';
}

function describeOperation(item: PathItem, id: string, method: string, operation: SourceNode): Section {
  return {
    id,
    title: `${method.toUpperCase()} ${item.key}`,
    blocks: [...introduction(operation), { kind: 'facts', facts: operationFacts(item, operation) }],
    sections: operationSections(item, id, operation),
  };
}

function methodsOf(
  { questions }: PathItem,
  operations: readonly (readonly [string, unknown])[],
): Fact['value'] {
  if (operations.length === 0) return questions.silence('http-method');
  return [{ code: operations.map(([method]) => method.toUpperCase()).join(', ') }];
}

/** What an operation would say, if there were one. */
function factsWhileOpen({ reader, questions, root }: PathItem): Fact[] {
  return [
    { name: 'Payload', value: questions.silence('payload') },
    { name: 'Response', value: questions.silence('receiver-response') },
    authentication(describeRequirement(reader, valueAt(root, 'security'))),
  ];
}

function operationFacts({ reader, questions, root }: PathItem, operation: SourceNode): Fact[] {
  const own = valueAt(operation, 'security');
  const silent = (key: string, name: string, id: string): Fact[] =>
    valueAt(operation, key) === undefined ? [{ name, value: questions.silence(id) }] : [];
  const others = reader.entries(operation).filter(([key]) => !SHOWN_ELSEWHERE.has(key));
  return [
    ...silent('requestBody', 'Payload', 'payload'),
    ...silent('responses', 'Response', 'receiver-response'),
    authentication(describeRequirement(reader, own ?? valueAt(root, 'security'))),
    ...others.map(([key, value]): Fact => ({
      name: key,
      value: [{ code: stringAt(operation, key) ?? jsonOf(value) }],
    })),
  ];
}

function authentication(required: Fact['value'] | undefined): Fact {
  return { name: 'Authentication', value: required ?? ['not stated'] };
}

function introduction(operation: SourceNode): Block[] {
  return ['summary', 'description'].flatMap((key): Block[] => {
    const written = stringAt(operation, key);
    return written === undefined ? [] : [paragraph(written)];
  });
}

function operationSections({ reader, node }: PathItem, id: string, operation: SourceNode): Section[] {
  const body = reader.at(operation, 'requestBody');
  const responses = reader.entries(reader.at(operation, 'responses'));
  const parameters = [
    ...reader.items(valueAt(node, 'parameters')),
    ...reader.items(valueAt(operation, 'parameters')),
  ];
  return [
    ...(parameters.length === 0
      ? []
      : [section(`${id}-parameters`, 'Parameters', [tableOf(reader, parameters)])]),
    ...(body === undefined ? [] : [section(`${id}-payload`, 'Payload', describeBody(reader, body))]),
    ...(responses.length === 0
      ? []
      : [
          {
            ...section(`${id}-responses`, 'Responses', []),
            sections: responses.map(([status, response]) =>
              section(`${id}-${status}`, status, describeResponse(reader, response)),
            ),
          },
        ]),
  ];
}

function describeBody(reader: DocumentReader, body: SourceNode): Block[] {
  const required = valueAt(body, 'required');
  const isRequired = required?.kind === 'scalar' && required.value === true;
  return [
    ...introduction(body),
    { kind: 'facts', facts: [{ name: 'Required', value: [isRequired ? 'yes' : 'no'] }] },
    ...describeContent(reader, reader.at(body, 'content'), 'Payload'),
  ];
}

function describeResponse(reader: DocumentReader, response: SourceNode): Block[] {
  const headers = reader.entries(reader.at(response, 'headers'));
  const content = describeContent(reader, reader.at(response, 'content'), 'Content');
  return [
    ...introduction(response),
    ...(headers.length === 0
      ? []
      : [{ kind: 'facts', facts: headers.map(([name, header]) => headerFact(name, header)) } as const]),
    ...(content.length === 0 ? [paragraph('Without content.')] : content),
  ];
}

function headerFact(name: string, header: SourceNode): Fact {
  const description = stringAt(header, 'description');
  return { name, value: description === undefined ? [{ code: jsonOf(header) }] : textOf(description) };
}

function tableOf(reader: DocumentReader, parameters: readonly SourceNode[]): Block {
  return {
    kind: 'table',
    caption: 'Parameters of the request',
    head: ['Name', 'In', 'Schema', 'Required', 'Meaning'],
    rows: parameters.map((parameter) => {
      const required = valueAt(parameter, 'required');
      const schema = valueAt(parameter, 'schema');
      return [
        [{ code: stringAt(parameter, 'name') ?? '' }],
        [stringAt(parameter, 'in') ?? ''],
        schema === undefined ? [] : describeInLine(reader, schema),
        [required?.kind === 'scalar' && required.value === true ? 'yes' : 'no'],
        textOf(stringAt(parameter, 'description') ?? ''),
      ];
    }),
  };
}

function section(id: string, title: string, blocks: readonly Block[]): Section {
  return { id, title, blocks, sections: [] };
}

function paragraph(written: string): Block {
  return { kind: 'paragraph', text: textOf(written) };
}
