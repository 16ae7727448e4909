import { z } from 'zod';

import type { AnswerValues, ExecutableId } from '@plant-store/contract';

/**
 * An example answer to every question that the software carries out. **Nobody gave them.** Tests use them to answer
 * questions, and OPEN_QUESTIONS.md shows the source of each as the line to paste.
 */
export const exampleAnswers = {
  'base-address': 'https://receiver.example',
  'plant-fields': z.object({
    name: z.string().min(1),
    heightInCentimetres: z.number().positive().optional(),
  }),
  'http-method': 'PUT',
  payload: { plantField: 'plant' },
  'media-type': 'application/json',
  'receiver-response': {
    status: 200,
    description: 'The plant was taken.',
    content: { mediaType: 'application/json', text: '{"taken":true}' },
  },
  'event-payload-fields': z.object({ addedOn: z.string().regex(/^\d{4}-\d{2}-\d{2}$/) }),
  'token-format': { name: 'example', pattern: '^example-' },
  'authentication-realm': 'example',
  retry: { delays: [100, 200], statuses: [429, 503], withoutResponse: true },
  // As in Standard Webhooks.
  signing: {
    algorithm: 'hmac-sha256',
    signed: ['event-id', 'timestamp', 'content'],
    separator: '.',
    signature: { header: 'webhook-signature', prefix: 'v1,', encoding: 'base64' },
    timestamp: { header: 'webhook-timestamp', toleranceSeconds: 300 },
    key: { prefix: 'whsec_', encoding: 'base64' },
  },
  'event-identity': { header: 'webhook-id' },
  'error-codes': {
    'token-invalid': 'EXAMPLE_TOKEN',
    'content-invalid': 'EXAMPLE_PLANT',
    'rate-exceeded': 'EXAMPLE_RATE',
  },
  'status-codes': {
    'content-invalid': { status: 409, description: 'The plant is not as agreed.' },
    'content-too-large': { status: 413, description: 'The plant is too large.' },
  },
  'error-payloads': {
    mediaType: 'application/problem+json',
    fields: { status: 'status', title: 'description', code: 'code' },
  },
  'rate-limits': { deliveries: 20, seconds: 60 },
  'size-limits': 1_000,
  'time-outs': { delivery: 2_000, response: 4_000 },
  'request-versioning': { header: 'plant-store-version', value: '1.0.0' },
} as const satisfies Required<AnswerValues>;

/** The example answers to some questions. */
export function examplesOf<Id extends ExecutableId>(
  answered: readonly Id[],
): Pick<typeof exampleAnswers, Id> {
  return Object.fromEntries(answered.map((id) => [id, exampleAnswers[id]])) as Pick<
    typeof exampleAnswers,
    Id
  >;
}
