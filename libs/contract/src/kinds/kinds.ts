import type { ExecutableId } from '../register/register.js';
import { rateLimits, sizeLimits, timeOuts } from './limits.js';
import { eventPayloadFields, payload, plantFields } from './payload.js';
import { baseAddress, httpMethod, mediaType, requestVersioning } from './request.js';
import { errorCodes, errorPayloads, receiverResponse, statusCodes } from './response.js';
import { authenticationRealm, eventIdentity, retry, signing, tokenFormat } from './delivery.js';
import type { Schema } from './kind.js';

/** The kinds of answers that the software carries out, by question. CONTRIBUTING.md says how to add one. */
export const kinds = {
  'base-address': baseAddress,
  'http-method': httpMethod,
  'media-type': mediaType,
  payload,
  'plant-fields': plantFields,
  'event-payload-fields': eventPayloadFields,
  'receiver-response': receiverResponse,
  'token-format': tokenFormat,
  'authentication-realm': authenticationRealm,
  retry,
  'event-identity': eventIdentity,
  signing,
  'status-codes': statusCodes,
  'error-payloads': errorPayloads,
  'error-codes': errorCodes,
  'rate-limits': rateLimits,
  'size-limits': sizeLimits,
  'time-outs': timeOuts,
  'request-versioning': requestVersioning,
} satisfies { readonly [Id in ExecutableId]: Schema<unknown> };
