import { openQuestions } from '@plant-store/contract';
import type { Ledger } from '../ledger.js';
import { code, codeBlock, escape, slugOf } from '../markdown.js';

type ByName<Value> = Readonly<Record<string, Value>>;

/** The document of this interface, as far as the page knows its parts. The gate holds it to the specification. */
export interface InterfaceDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly license: { readonly name: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly webhooks: ByName<PathItem>;
  readonly components: {
    readonly schemas?: ByName<unknown>;
    readonly securitySchemes: ByName<ByName<unknown>>;
  };
  /** Each names the security schemes that a request has to satisfy. */
  readonly security: readonly ByName<unknown>[];
}

/** With an operation, once the method is answered. */
interface PathItem extends Partial<ByName<string | Operation>> {
  readonly summary: string;
  readonly description: string;
}

interface Operation {
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema?: unknown }[];
  readonly requestBody?: unknown;
  readonly responses?: ByName<unknown>;
}

/** What the page is made from. */
export interface ApiSources {
  readonly document: InterfaceDocument;
  readonly ledger: Ledger;
  /** Where the questions are: another page, or nothing if they are on this one. */
  readonly questionsPage: string;
}

/** docs/reference/api.md: what the OpenAPI document states. Where it says nothing, a link leads to the question about it. */
export function renderApi({ document, ledger, questionsPage }: ApiSources): string {
  const { info, openapi, servers, webhooks, components, security } = document;
  const linkTo = (id: string): string => {
    const { title = id } = openQuestions.find((question) => question.id === id) ?? {};
    return `[${ledger[id] === undefined ? 'open' : 'answered'}: ${escape(title)}](${questionsPage}#${slugOf(title)})`;
  };
  const addresses = servers.map(
    ({ url }) => `${code(url)}${url.includes('{') ? `, ${linkTo('base-address')}` : ''}`,
  );
  const schemes = security.flatMap(Object.keys).map((name) => `[${escape(name)}](#${slugOf(name)})`);
  const authentication = schemes.join(' and ');
  const open = openQuestions.filter(({ id }) => ledger[id] === undefined).length;
  return [
    `# ${escape(info.title)}`,
    `Version ${escape(info.version)} · ${escape(info.license.name)} licence · OpenAPI ${openapi}`,
    `This page shows what the OpenAPI document states. The specification leaves the rest open: [${open} open questions](${questionsPage}${questionsPage === '' ? '#1-what-the-service-does' : ''}) say what the software does until somebody answers.`,
    list({
      'Request paths': 'none',
      'Base address': addresses.join('; '),
      Authentication: authentication,
    }),
    ...Object.entries(webhooks).flatMap(([path, item]) => renderWebhook(path, item, authentication, linkTo)),
    ...Object.entries(components.schemas ?? {}).flatMap(([name, schema], index) => [
      ...(index === 0 ? ['## Schemas'] : []),
      `### ${escape(name)}`,
      jsonBlock(schema),
    ]),
    '## Authentication',
    list({ 'Default requirement of the interface': authentication }),
    ...Object.entries(components.securitySchemes).flatMap(([name, scheme]) => [
      `### ${escape(name)}`,
      list(Object.fromEntries(Object.entries(scheme).map(([key, value]) => [key, code(String(value))]))),
    ]),
    'A request is authenticated by a header of this form (§5; RFC 6750 §2.1):',
    codeBlock('Authorization: Bearer <ACCESS_TOKEN>', 'http'),
  ].join('\n\n');
}

function renderWebhook(
  path: string,
  { summary, description, ...operations }: PathItem,
  authentication: string,
  linkTo: (id: string) => string,
): string[] {
  const [method, operation] = Object.entries(operations)[0] ?? [];
  const { parameters = [], requestBody, responses } = (operation ?? {}) as Operation;
  return [
    `## ${escape(summary)}`,
    escape(description),
    list({
      'Delivery path': `${code(path)}, ${linkTo('delivery-target')}`,
      Method: method === undefined ? linkTo('http-method') : code(method.toUpperCase()),
      ...(requestBody === undefined && { Payload: linkTo('payload') }),
      ...(responses === undefined && { Response: linkTo('receiver-response') }),
      Authentication: `${authentication}, ${linkTo('notification-security')}`,
      ...Object.fromEntries(
        parameters.map(({ name, in: place, required, schema }) => [
          `${required === true ? 'Required' : 'Optional'} ${place} ${code(name)}`,
          code(JSON.stringify(schema)),
        ]),
      ),
    }),
    ...(requestBody === undefined ? [] : ['### Payload', jsonBlock(requestBody)]),
    ...Object.entries(responses ?? {}).flatMap(([status, response]) => [
      `### Response ${escape(status)}`,
      jsonBlock(response),
    ]),
  ];
}

function jsonBlock(value: unknown): string {
  return codeBlock(JSON.stringify(value, null, 2), 'json');
}

function list(items: ByName<string>): string {
  return Object.entries(items)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}
