import * as v from 'valibot';
import type { QuestionId } from '../register/register.js';
import { contentKinds } from './content.js';
import { deliveryKinds } from './deliveries.js';
import type { Kind } from './kind.js';
import { said } from './parts.js';
import { requestKinds } from './requests.js';
import { responseKinds } from './responses.js';

/**
 * The kinds of answers that the software carries out, by question. The schema of a kind is the type of an answer, its
 * shape and its faults. CONTRIBUTING.md says how to add one.
 */
export const kinds = {
  ...requestKinds,
  ...contentKinds,
  ...responseKinds,
  ...deliveryKinds,
} satisfies { readonly [Id in QuestionId]?: Kind<unknown> };

/** An answer to one of these questions that no kind fits, or that the software is not to carry out yet. */
export const words: Kind<{ readonly inWords: string }> = v.strictObject({ inWords: said });
