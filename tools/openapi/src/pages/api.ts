import { facts, openQuestions } from '@plant-store/contract';
import type { Ledger } from '../ledger.js';
import { code, codeBlock, escape, slugOf } from '../markdown.js';

type ByName<Value> = Readonly<Record<string, Value>>;

/** A JSON Schema. It is shown as it is written. */
type Schema = unknown;

/** The document of this interface, as far as the page knows its parts. */
export interface InterfaceDocument {
  readonly openapi: string;
  readonly info: ByName<unknown>;
  readonly servers?: readonly { readonly url: string; readonly variables?: ByName<{ default?: string }> }[];
  readonly webhooks: ByName<ByName<unknown>>;
  readonly components?: {
    readonly schemas?: ByName<Schema>;
    readonly securitySchemes?: ByName<ByName<unknown>>;
  };
  readonly security?: Requirements;
}

interface Operation {
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema?: Schema }[];
  readonly requestBody?: {
    readonly description?: string;
    readonly required?: boolean;
    readonly content?: Content;
  };
  readonly responses?: ByName<{ readonly description?: string; readonly content?: Content }>;
  readonly security?: Requirements;
}

/** By media type. */
type Content = ByName<{ readonly schema?: Schema; readonly example?: unknown }>;

/** Alternatives; each names the security schemes that a request has to satisfy. */
type Requirements = readonly ByName<readonly string[]>[];

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** What the page is made from. */
export interface ApiSources {
  readonly document: InterfaceDocument;
  readonly ledger: Ledger;
  /** Where the questions are: another page, or nothing if they are on this one. */
  readonly questionsPage: string;
}

/** docs/reference/api.md: what the OpenAPI document states. Where it says nothing, a link leads to the question about it. */
export function renderApi({ document, ledger, questionsPage }: ApiSources): string {
  const { info, openapi, servers = [], webhooks, components = {}, security } = document;
  const linkTo = (id: string): string => {
    const { title = id } = openQuestions.find((question) => question.id === id) ?? {};
    return `[${ledger[id] === undefined ? 'open' : 'answered'}: ${escape(title)}](${questionsPage}#${slugOf(title)})`;
  };
  const addresses = servers.map(({ url, variables = {} }) => {
    const declared = Object.entries(variables).map(
      ([name, variable]) => `, where ${code(name)} is ${code(variable.default ?? '')}`,
    );
    const isOpen = url.includes('{') && declared.length === 0;
    return `${code(url)}${declared.join('')}${isOpen ? `, ${linkTo('base-address')}` : ''}`;
  });
  const { name: licence = 'no' } = (info['license'] ?? {}) as { name?: string };
  const open = openQuestions.filter(({ id }) => ledger[id] === undefined).length;
  return [
    `# ${escape(String(info['title']))}`,
    `Version ${escape(String(info['version']))} · ${escape(licence)} licence · OpenAPI ${openapi}`,
    `This page shows what the OpenAPI document states. The specification leaves the rest open: [${open} open questions](${questionsPage}${questionsPage === '' ? '#1-what-the-service-does' : ''}) say what the software does until somebody answers.`,
    list({
      'Request paths': 'none',
      'Base address': addresses.join('; ') || 'not stated',
      Authentication: requirementOf(security),
    }),
    ...Object.entries(webhooks).flatMap(([key, item]) => renderWebhook(key, item, security, linkTo)),
    ...Object.entries(components.schemas ?? {}).flatMap(([name, schema], index) => [
      ...(index === 0 ? ['## Schemas'] : []),
      `### ${escape(name)}`,
      jsonBlock(schema),
    ]),
    ...renderAuthentication(components.securitySchemes, security),
  ].join('\n\n');
}

function renderWebhook(
  key: string,
  item: ByName<unknown>,
  security: Requirements | undefined,
  linkTo: (id: string) => string,
): string[] {
  const method = METHODS.find((name) => item[name] !== undefined);
  const operation = (method === undefined ? {} : item[method]) as Operation;
  const { parameters = [], requestBody, responses, security: own, ...others } = operation;
  const inherited = own === undefined ? `, ${linkTo('notification-security')}` : '';
  return [
    `## ${escape((item['summary'] as string | undefined) ?? key)}`,
    ...(item['description'] === undefined ? [] : [escape(item['description'] as string)]),
    list({
      'Delivery path': `${code(key)}, ${linkTo('delivery-target')}`,
      Method: method === undefined ? linkTo('http-method') : code(method.toUpperCase()),
      ...(requestBody === undefined && { Payload: linkTo('payload') }),
      ...(responses === undefined && { Response: linkTo('receiver-response') }),
      Authentication: `${requirementOf(own ?? security)}${inherited}`,
      ...Object.fromEntries(
        parameters.map(({ name, in: place, required, schema = {} }) => [
          `${required === true ? 'Required' : 'Optional'} ${place} ${code(name)}`,
          code(JSON.stringify(schema)),
        ]),
      ),
      ...written(others),
    }),
    ...(requestBody === undefined
      ? []
      : [
          '### Payload',
          ...(requestBody.description === undefined ? [] : [escape(requestBody.description)]),
          requestBody.required === true ? 'Required.' : 'Optional.',
          ...renderContent(requestBody.content),
        ]),
    ...Object.entries(responses ?? {}).flatMap(([status, { description = '', content }]) => [
      `### Response ${escape(status)}`,
      escape(description),
      ...(content === undefined ? ['Without content.'] : renderContent(content)),
    ]),
  ];
}

/** Each media type with its schema and its example. */
function renderContent(content: Content = {}): string[] {
  return Object.entries(content).flatMap(([mediaType, { schema, example }]) => [
    list({ 'Media type': code(mediaType) }),
    ...(schema === undefined ? [] : [jsonBlock(schema)]),
    ...(example === undefined ? [] : ['Example:', exampleBlock(example)]),
  ]);
}

function exampleBlock(example: unknown): string {
  return typeof example === 'string' ? codeBlock(example, 'text') : jsonBlock(example);
}

function jsonBlock(value: unknown): string {
  return codeBlock(JSON.stringify(value, null, 2), 'json');
}

function renderAuthentication(
  schemes: ByName<ByName<unknown>> = {},
  security: Requirements | undefined,
): string[] {
  return [
    '## Authentication',
    list({ 'Default requirement of the interface': requirementOf(security) }),
    ...Object.entries(schemes).flatMap(([name, scheme]) => [
      `### ${escape(name)}`,
      list(written(scheme)),
      ...(scheme['scheme'] === facts.AUTHENTICATION_SCHEME
        ? [
            'A request is authenticated by a header of this form (§5; RFC 6750 §2.1):',
            codeBlock('Authorization: Bearer <ACCESS_TOKEN>', 'http'),
          ]
        : []),
    ]),
  ];
}

/** The schemes that a request has to satisfy: alternatives, each of one or several. */
function requirementOf(requirements: Requirements | undefined): string {
  if (requirements === undefined) return 'not stated';
  const alternatives = requirements.map(
    (schemes) =>
      Object.keys(schemes)
        .map((name) => `[${escape(name)}](#${slugOf(name)})`)
        .join(' and ') || 'none',
  );
  return alternatives.join(', or ') || 'none';
}

/** Fields as the document has them. */
function written(fields: ByName<unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      escape(name),
      code(typeof value === 'string' ? value : JSON.stringify(value)),
    ]),
  );
}

function list(items: Readonly<Record<string, string>>): string {
  return Object.entries(items)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}
