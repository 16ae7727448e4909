/**
 * `@plant-store/contract/kinds`, for tools and tests: everything about each kind of answer. What runs takes its answers
 * from the main entry.
 */
import type { ExecutableId } from '../register/register.js';
import { authenticationRealm } from './authentication-realm.js';
import { baseAddress } from './base-address.js';
import { errorCodes } from './error-codes.js';
import { errorPayloads } from './error-payloads.js';
import { eventIdentity } from './event-identity.js';
import { eventPayloadFields } from './event-payload-fields.js';
import { httpMethod } from './http-method.js';
import { mediaType } from './media-type.js';
import { payload } from './payload.js';
import { plantFields } from './plant-fields.js';
import { rateLimits } from './rate-limits.js';
import { receiverResponse } from './receiver-response.js';
import { requestVersioning } from './request-versioning.js';
import { retry } from './retry.js';
import { signing } from './signing.js';
import { sizeLimits } from './size-limits.js';
import { statusCodes } from './status-codes.js';
import { timeOuts } from './time-outs.js';
import { tokenFormat } from './token-format.js';

export {
  isSame,
  type Kind,
  type Level,
  type Observations,
  type Others,
  othersIn,
  type Step,
} from './kind.js';
export { TIMES_WHILE_OPEN } from './time-outs.js';

/**
 * The kinds of answers that the software carries out, by question; each is built on earlier ones. CONTRIBUTING.md says
 * how to add one.
 */
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
} satisfies { readonly [Id in ExecutableId]: { readonly question: Id } };
