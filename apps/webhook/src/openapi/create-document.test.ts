import 'reflect-metadata';

import { readFileSync } from 'node:fs';

import { exampleAnswers } from '../../test/example-answers.js';
import { createDocument } from './create-document.js';
import { formatDocument } from './format-document.js';

const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

/** Every key of a document, at whatever depth. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysOf(member)]);
}

test('it is openapi.json, byte for byte', async () => {
  expect(formatDocument(await createDocument())).toBe(committed);
});

test('it is the same whenever it is generated', async () => {
  const documents = await Promise.all([createDocument(), createDocument()]);
  documents.push(await createDocument());

  expect(new Set(documents.map(formatDocument)).size).toBe(1);
});

test.each(['operationId', 'tags', 'parameters', 'responses', 'requestBody', 'contact', 'bearerFormat'])(
  'Nest asserts no %s',
  async (key) => {
    expect(keysOf(await createDocument())).not.toContain(key);
  },
);

test('nothing in it is empty but the paths, and what says that bearer tokens have no scopes', async () => {
  const empty: string[] = [];
  const look = (value: unknown, at: string): void => {
    if (value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)) {
      empty.push(at);
    } else if (typeof value === 'object' && value !== null) {
      Object.entries(value).forEach(([key, member]) => look(member, `${at}/${key}`));
    }
  };
  look(await createDocument(), '');

  expect(empty).toEqual(['/paths', '/security/0/bearerAuth']);
});

describe('with the method answered', () => {
  test('the webhook has that operation and no other, and nothing is said of it', async () => {
    const { webhooks, ...others } = await createDocument(exampleAnswers);
    const { webhooks: openWebhooks, ...openOthers } = await createDocument();

    expect(webhooks).toEqual({
      '/plant/webhook': {
        ...(openWebhooks as Record<string, object>)['/plant/webhook'],
        put: {},
      },
    });
    expect(others).toEqual(openOthers);
  });
});
