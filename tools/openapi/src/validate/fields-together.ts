import { type SourceMap, stringAt, valueAt } from '../read/source-node.js';
import type { ObjectName } from './objects.js';
import { oneOf } from './values.js';

/** Reports a problem of an object, or of one of its fields. */
export type Fail = (problem: string, field?: string) => void;

/** Rules about several fields of one object. */
export const FIELDS_TOGETHER: Partial<Record<ObjectName, (node: SourceMap, fail: Fail) => void>> = {
  openapi(node, fail) {
    if (!['paths', 'components', 'webhooks'].some((field) => node.entries.has(field)))
      fail('needs `paths`, `components` or `webhooks`');
  },
  license: (node, fail) => atMostOne(node, fail, 'identifier', 'url'),
  'server-variable'(node, fail) {
    const values = valueAt(node, 'enum');
    const given = stringAt(node, 'default');
    if (values?.kind !== 'list' || given === undefined) return;
    if (!values.items.some((item) => item.kind === 'scalar' && item.value === given))
      fail('must be one of the values of `enum`', 'default');
  },
  components({ entries }, fail) {
    for (const [section, { value }] of entries) {
      if (section.startsWith('x-') || value.kind !== 'map') continue;
      for (const name of value.entries.keys())
        if (!/^[a-zA-Z0-9._-]+$/.test(name))
          fail(`has the name ${JSON.stringify(name)}; use letters, digits, \`.\`, \`-\` and \`_\``, section);
    }
  },
  paths({ entries }, fail) {
    const known = new Map<string, string>();
    for (const path of entries.keys()) {
      const shape = path.replace(/\{[^{}]*\}/g, '{}');
      const other = path.startsWith('/') ? known.get(shape) : undefined;
      if (other !== undefined) fail(`is the same path as ${other}`, path);
      known.set(shape, path);
    }
  },
  parameter(node, fail) {
    schemaOrContent(node, fail);
    const place = stringAt(node, 'in');
    const required = valueAt(node, 'required');
    if (place === 'path' && !(required?.kind === 'scalar' && required.value === true))
      fail('must be `required: true`, because it is part of the path');
    const style = valueAt(node, 'style');
    const problem = style && STYLES[place ?? '']?.(style);
    if (problem !== undefined) fail(`${problem}, in the ${place ?? ''}`, 'style');
    for (const field of ['allowEmptyValue', 'allowReserved'])
      if (place !== 'query' && node.entries.has(field)) fail('is only for a parameter in the query', field);
  },
  header: schemaOrContent,
  'media-type': (node, fail) => atMostOne(node, fail, 'example', 'examples'),
  responses({ entries }, fail) {
    if (![...entries.keys()].some((name) => !name.startsWith('x-')))
      fail('needs at least one response, such as `200` or `default`');
  },
  example: (node, fail) => atMostOne(node, fail, 'value', 'externalValue'),
  link: (node, fail) => exactlyOne(node, fail, 'operationRef', 'operationId'),
  'security-scheme'(node, fail) {
    const type = stringAt(node, 'type') ?? '';
    const needed = Object.hasOwn(NEEDED, type) ? NEEDED[type] : undefined;
    if (needed === undefined) return;
    for (const field of needed)
      if (!node.entries.has(field)) fail(`needs \`${field}\`, because its type is ${type}`);
    for (const field of Object.values(NEEDED).flat())
      if (node.entries.has(field) && !needed.includes(field))
        fail(`is not for a security scheme of the type ${type}`, field);
    if (node.entries.has('bearerFormat') && stringAt(node, 'scheme')?.toLowerCase() !== 'bearer')
      fail('is only for a security scheme of the type http with the scheme bearer', 'bearerFormat');
  },
};

const STYLES: Readonly<Record<string, ReturnType<typeof oneOf>>> = {
  path: oneOf('matrix', 'label', 'simple'),
  header: oneOf('simple'),
  query: oneOf('form', 'spaceDelimited', 'pipeDelimited', 'deepObject'),
  cookie: oneOf('form'),
};

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  apiKey: ['name', 'in'],
  http: ['scheme'],
  oauth2: ['flows'],
  openIdConnect: ['openIdConnectUrl'],
};

function schemaOrContent(node: SourceMap, fail: Fail): void {
  exactlyOne(node, fail, 'schema', 'content');
  atMostOne(node, fail, 'example', 'examples');
  const content = valueAt(node, 'content');
  if (content?.kind === 'map' && content.entries.size !== 1) fail('must have one media type', 'content');
  if (content === undefined) return;
  for (const field of ['style', 'explode', 'allowReserved', 'example', 'examples'])
    if (node.entries.has(field)) fail('is only for a parameter or a header with `schema`', field);
}

function exactlyOne(node: SourceMap, fail: Fail, one: string, other: string): void {
  if (!node.entries.has(one) && !node.entries.has(other)) fail(`needs \`${one}\` or \`${other}\``);
  atMostOne(node, fail, one, other);
}

function atMostOne(node: SourceMap, fail: Fail, one: string, other: string): void {
  if (node.entries.has(one) && node.entries.has(other))
    fail(`has \`${one}\` and \`${other}\`; remove one of them`);
}
