import { facts, type OpenQuestion } from '@plant-store/contract';
import {
  type Block,
  type Item,
  join,
  type Page,
  paragraph,
  type Section,
  type Text,
} from '../format/page.js';
import { METHODS } from '../facts/openapi-objects.js';
import type { ReadText } from '../read/source-files.js';
import {
  type ByName,
  type Content,
  type InterfaceDocument,
  type Operation,
  type PathItem,
  readInterface,
  type Requirements,
  type Server,
} from './interface-document.js';
import { ANSWER_SOURCES, describeQuestions, type GivenAnswers, linkToQuestion } from './questions.js';
import { type Schema, schemaId, schemaLine, schemaTable } from './schema.js';

/** What the page is made from. */
export interface InterfaceSources {
  readonly readText: ReadText;
  /** Path of the OpenAPI document. */
  readonly document: string;
  readonly questions: readonly OpenQuestion[];
  readonly answers: GivenAnswers;
  /** The command that writes the page. */
  readonly generator: string;
}

const ANSWERED = 'The specification leaves these open, and they have been answered.';
const OPEN =
  'The specification leaves these open, and nobody has answered them. Until then the software does what is said here. None of it is promised.';

/** The text for a place where the document says nothing: a link to the question about it. */
type Silence = (id: string) => Text;

/**
 * The interface as a page: what the document states, and each question of the register, open or answered.
 *
 * @throws ToolError if the document can't be read, or isn't the document of this interface
 */
export function describeInterface(sources: InterfaceSources): Page {
  const { questions, answers, generator } = sources;
  const document = readInterface(sources.readText, sources.document);
  const { info, webhooks, components = {}, security, openapi } = document;
  const open = questions.filter(({ id }) => answers[id] === undefined);
  const answered = questions.filter(({ id }) => answers[id] !== undefined);
  const silence: Silence = (id) =>
    questions.filter((question) => question.id === id).map((question) => linkToQuestion(question, answers));
  const webhook = Object.entries(webhooks).map(([key, item]) =>
    describeWebhook(key, item, security, silence),
  );
  return {
    title: info.title,
    subtitle: `Version ${info.version ?? ''} · ${info.license?.name ?? 'no'} licence · OpenAPI ${openapi}`,
    blocks: [
      ...paragraph(
        'This page shows what the OpenAPI document states, and each question that the specification leaves open.',
      ),
      {
        kind: 'list',
        items: [
          { name: 'Webhook', value: webhook.map(({ id, title }) => ({ to: id, text: title })) },
          ...overview(document, silence),
          ...count('Answered questions', 'answered', answered),
          ...count('Open questions', 'open', open),
        ],
      },
    ],
    sections: [
      ...webhook,
      ...group('schemas', 'Schemas', describeSchemas(components.schemas)),
      describeAuthentication(components.securitySchemes, security),
      ...group(
        'answered',
        'What has been answered',
        describeQuestions(answered, answers, 'answered-'),
        ANSWERED,
      ),
      ...group('open', 'What is open', describeQuestions(open, answers, 'open-'), OPEN),
    ],
    generator,
    sources: [sources.document, 'libs/contract/src/register', ...ANSWER_SOURCES],
  };
}

function overview({ servers = [], security }: InterfaceDocument, silence: Silence): Item[] {
  const addresses = servers.map((server) => addressOf(server, silence));
  return [
    { name: 'Request paths', value: ['none'] },
    { name: 'Base address', value: addresses.length === 0 ? ['not stated'] : join(addresses, '; ') },
    { name: 'Authentication', value: requirementOf(security) },
  ];
}

function describeWebhook(
  key: string,
  item: PathItem,
  security: Requirements | undefined,
  silence: Silence,
): Section {
  const method = METHODS.find((name) => item[name] !== undefined);
  const operation = method === undefined ? {} : (item[method] as Operation);
  const { parameters = [], requestBody, responses, security: own = security, ...others } = operation;
  return {
    id: 'webhook',
    title: item.summary ?? key,
    blocks: [
      ...paragraph(item.description),
      {
        kind: 'list',
        items: [
          { name: 'Delivery path', value: [{ code: key }, ', ', ...silence('delivery-target')] },
          {
            name: 'Method',
            value: method === undefined ? silence('http-method') : [{ code: method.toUpperCase() }],
          },
          ...(requestBody === undefined ? [{ name: 'Payload', value: silence('payload') }] : []),
          ...(responses === undefined ? [{ name: 'Response', value: silence('receiver-response') }] : []),
          {
            name: 'Authentication',
            value: [
              ...requirementOf(own),
              ...(operation.security === undefined ? [', ', ...silence('notification-security')] : []),
            ],
          },
          ...parameters.map(({ name, in: place, required, schema = {} }) => ({
            name: `${required === true ? 'Required' : 'Optional'} ${place}`,
            value: [{ code: name }, ': ', ...schemaLine(schema)],
          })),
          ...written(others),
        ],
      },
    ],
    sections: [
      ...(requestBody === undefined ? [] : [describePayload(requestBody)]),
      ...group(
        'responses',
        'Responses',
        Object.entries(responses ?? {}).map(([status, { description, content }]) => ({
          id: `response-${status}`,
          title: status,
          blocks: [
            ...paragraph(description),
            ...(content === undefined
              ? paragraph('Without content.')
              : contentBlocks(content, `Content of ${status}`)),
          ],
        })),
      ),
    ],
  };
}

function describePayload({ description, required, content }: NonNullable<Operation['requestBody']>): Section {
  return {
    id: 'request-body',
    title: 'Payload',
    blocks: [
      ...paragraph(description),
      ...paragraph(required === true ? 'Required.' : 'Optional.'),
      ...contentBlocks(content, 'Payload'),
    ],
  };
}

/** Each media type with its fields and its example. A schema that only refers to another is a link to it. */
function contentBlocks(content: Content = {}, what: string): Block[] {
  return Object.entries(content).flatMap(([mediaType, { schema, example }]): Block[] => {
    const link =
      schema !== undefined && '$ref' in schema ? [{ name: 'Schema', value: schemaLine(schema) }] : [];
    const hasTable = schema !== undefined && link.length === 0;
    return [
      { kind: 'list', items: [...written({ 'Media type': mediaType }), ...link] },
      ...(hasTable ? [schemaTable(schema, `${what} as ${mediaType}`)] : []),
      ...(example === undefined ? [] : [exampleBlock(example)]),
    ];
  });
}

function exampleBlock(example: unknown): Block {
  const code =
    typeof example === 'string'
      ? { language: 'text', code: example }
      : { language: 'json', code: JSON.stringify(example, null, 2) };
  return { kind: 'code', caption: 'Example', ...code };
}

/** The variable in a URL may be declared, or open. */
function addressOf({ url, variables = {} }: Server, silence: Silence): Text {
  const declared = Object.entries(variables).flatMap(([name, variable]): Text => [
    ', where ',
    { code: name },
    ' is ',
    { code: variable.default ?? '' },
  ]);
  const isOpen = url.includes('{') && declared.length === 0;
  return [{ code: url }, ...declared, ...(isOpen ? [', ', ...silence('base-address')] : [])];
}

function describeSchemas(schemas: ByName<Schema> = {}): Section[] {
  return Object.entries(schemas).map(([name, schema]) => ({
    id: schemaId(name),
    title: name,
    blocks: [schemaTable(schema, name)],
  }));
}

function describeAuthentication(schemes: ByName<ByName<unknown>> = {}, security?: Requirements): Section {
  const header: Block = {
    kind: 'code',
    caption: 'A request is authenticated by a header of this form (§5; RFC 6750 §2.1):',
    language: 'http',
    code: 'Authorization: Bearer <ACCESS_TOKEN>',
  };
  return {
    id: 'authentication',
    title: 'Authentication',
    blocks: [
      {
        kind: 'list',
        items: [{ name: 'Default requirement of the interface', value: requirementOf(security) }],
      },
    ],
    sections: Object.entries(schemes).map(([name, scheme]) => ({
      id: `scheme-${name}`,
      title: name,
      blocks: [
        { kind: 'list', items: written(scheme) },
        ...(scheme['scheme'] === facts.AUTHENTICATION_SCHEME ? [header] : []),
      ],
    })),
  };
}

/** The schemes that a request has to satisfy: alternatives, each of one or several. */
function requirementOf(requirements: Requirements | undefined): Text {
  if (requirements === undefined) return ['not stated'];
  const alternatives = requirements.map((schemes) => {
    const names = Object.keys(schemes);
    return names.length === 0
      ? ['none']
      : join(
          names.map((name) => [{ to: `scheme-${name}`, text: name }]),
          ' and ',
        );
  });
  return alternatives.length === 0 ? ['none'] : join(alternatives, ', or ');
}

/** Fields as the document has them. */
function written(fields: ByName<unknown>): Item[] {
  return Object.entries(fields).map(([name, value]) => ({
    name,
    value: [{ code: typeof value === 'string' ? value : JSON.stringify(value) }],
  }));
}

function count(name: string, to: string, { length }: readonly unknown[]): Item[] {
  return length === 0 ? [] : [{ name, value: [{ to, text: String(length) }] }];
}

/** A section of sections; none if there is nothing in it. */
function group(id: string, title: string, sections: readonly Section[], introduction?: string): Section[] {
  return sections.length === 0 ? [] : [{ id, title, blocks: paragraph(introduction), sections }];
}
