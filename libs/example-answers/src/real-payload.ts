import { z } from 'zod';

import type { AnswerValues } from '@plant-store/contract';

const plant = z.object({
  id: z.string().min(1),
  latinName: z.string().min(1),
  commonNames: z.array(z.string()),
  light: z.enum(['full sun', 'partial shade', 'shade']).meta({ id: 'Light' }),
  inStock: z.int().min(0).max(1_000_000),
  price: z.object({ amount: z.number().min(0), currency: z.string().length(3) }),
  pottedOn: z.string().nullable().optional(),
});

/**
 * A payload as teams have it: the plant alone, nested, described and named, with its identifier, signed, acknowledged
 * with 202, and refused with a code and a message. Examples, which nobody gave.
 */
export const answers = {
  'http-method': 'POST',
  'media-type': 'application/vnd.plant+json',
  payload: { shape: 'plant', description: 'The plant that was added.', names: { plant: 'PlantRecord' } },
  'plant-fields': plant,
  'event-identity': { pointer: '/id' },
  'receiver-response': { status: 202, description: 'The plant was taken.' },
  signing: {
    algorithm: 'hmac-sha256',
    signed: ['timestamp', 'content'],
    separator: '.',
    signature: { header: 'x-plant-signature', prefix: 'sha256=', encoding: 'hex' },
    timestamp: { header: 'x-plant-timestamp', toleranceSeconds: 300 },
    key: { prefix: '', encoding: 'utf8' },
  },
  'error-payloads': {
    mediaType: 'application/json',
    fields: { code: 'code', message: 'description' },
    required: ['code', 'message'],
  },
  'error-codes': {
    'credentials-missing': 'plants.credentials_missing',
    'credentials-malformed': 'plants.credentials_malformed',
    'token-invalid': 'plants.token_invalid',
    'path-unknown': 'plants.path_unknown',
    'method-not-allowed': 'plants.method_not_allowed',
    'content-missing': 'plants.content_missing',
    'content-malformed': 'plants.content_malformed',
    'content-invalid': 'plants.content_invalid',
    'content-too-large': 'plants.content_too_large',
    'media-type-unsupported': 'plants.media_type_unsupported',
    'version-unsupported': 'plants.version_unsupported',
    'event-id-missing': 'plants.event_id_missing',
    'signature-invalid': 'plants.signature_invalid',
    'rate-exceeded': 'plants.rate_exceeded',
    unavailable: 'plants.unavailable',
  },
  'status-codes': {
    'credentials-missing': { description: 'Credentials are missing.' },
    'credentials-malformed': { description: 'The credentials are malformed.' },
    'token-invalid': { description: 'The token is not accepted.' },
    'path-unknown': { description: 'There is nothing here.' },
    'method-not-allowed': { description: 'Use POST.' },
    'content-missing': { status: 400, description: 'There is no plant.' },
    'content-malformed': { status: 400, description: 'The plant is not JSON.' },
    'content-invalid': { status: 422, description: 'The plant is not as agreed.' },
    'content-too-large': { status: 413, description: 'The plant is too large.' },
    'media-type-unsupported': { status: 415, description: 'The media type is not that of plants.' },
    'version-unsupported': { status: 400, description: 'The version is not supported.' },
    'event-id-missing': { status: 400, description: 'The plant has no id.' },
    'signature-invalid': { status: 403, description: 'The signature is not valid.' },
    'rate-exceeded': { status: 429, description: 'There are too many plants.' },
    unavailable: { status: 503, description: 'Try again later.' },
  },
} as const satisfies AnswerValues;
