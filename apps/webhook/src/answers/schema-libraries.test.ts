import type { AnswerSchema, Answers } from '@plant-store/contract';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as valibot from 'valibot';
import { z } from 'zod';

import { runReceiver } from '../../test/run-receiver.js';
import { createDocument } from '../openapi/create-document.js';
import { composeAnswers } from './compose-answers.js';

const libraries: [name: string, plant: AnswerSchema][] = [
  ['Zod', z.object({ name: z.string().min(1), height: z.number().optional() })],
  [
    'Valibot',
    toStandardJsonSchema(
      valibot.object({
        name: valibot.pipe(valibot.string(), valibot.minLength(1)),
        height: valibot.optional(valibot.number()),
      }),
    ),
  ],
];

describe.each(libraries)('fields that are answered with a schema of %s', (_name, plant) => {
  const answers: Answers = {
    'http-method': 'PUT',
    'media-type': 'application/json',
    payload: 'plant',
    'plant-fields': plant,
  };

  test.each([
    { content: '{"name":"Fern","height":1.5}', status: 204 },
    { content: '{"name":"Fern"}', status: 204 },
    { content: '{"name":""}', status: 422 },
    { content: '{"name":"Fern","height":"tall"}', status: 422 },
    { content: '[]', status: 422 },
  ])('$content: $status', async ({ content, status }) => {
    const { send } = await runReceiver(answers);
    expect(await send({ content, fields: { 'content-type': 'application/json' } })).toMatchObject({ status });
  });

  test('are in the document', async () => {
    const { components } = (await createDocument(composeAnswers(answers))) as {
      components: { schemas: object };
    };
    expect(components.schemas).toEqual({
      Plant: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 }, height: { type: 'number' } },
        required: ['name'],
      },
    });
  });
});
