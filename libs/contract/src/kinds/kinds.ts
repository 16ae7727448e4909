import type { ExecutableId } from '../register/register.js';
import { deliveryKinds } from './delivery.js';
import type { Schema } from './kind.js';
import { limitKinds } from './limits.js';
import { payloadKinds } from './payload.js';
import { requestKinds } from './request.js';
import { responseKinds } from './response.js';

/** The kinds of answers that the software carries out, by question. CONTRIBUTING.md says how to add one. */
export const kinds = {
  ...requestKinds,
  ...payloadKinds,
  ...responseKinds,
  ...deliveryKinds,
  ...limitKinds,
} satisfies { readonly [Id in ExecutableId]: Schema<unknown> };
