/** Compile-only: which options the compiler demands, with everything open and with example answers. */
import type { ContentMethod } from '@plant-store/contract';
import { createNewPlantSender, type Encoder, json, type NewPlantSenderOptions } from '../src/index.js';
import type { exampleAnswers } from './example-answers.js';

interface Arbitrary {
  readonly arbitrary: boolean;
}
type Open = NewPlantSenderOptions<Arbitrary, Record<never, never>>;
type Answered = NewPlantSenderOptions<Arbitrary, typeof exampleAnswers>;
type OtherMediaType = NewPlantSenderOptions<Arbitrary, { readonly 'media-type': 'application/example' }>;

const accessToken = 'token';
const baseUrl = 'https://example.test';
const method: ContentMethod = 'POST';
const encode: Encoder<Arbitrary> = json;

export const complete: Open = { accessToken, baseUrl, method, encode };
// @ts-expect-error baseUrl is required while base-address is open
export const withoutBaseUrl: Open = { accessToken, method, encode };
// @ts-expect-error method is required while http-method is open
export const withoutMethod: Open = { accessToken, baseUrl, encode };
// @ts-expect-error encode is required while media-type is open
export const withoutEncode: Open = { accessToken, baseUrl, method };
// @ts-expect-error accessToken is always required
export const withoutToken: Open = { baseUrl, method, encode };
// @ts-expect-error GET carries no content
export const withGet: Open = { ...complete, method: 'GET' };
// @ts-expect-error a time-out is a number of milliseconds
export const withTextAsTimeout: Open = { ...complete, totalTimeout: '1s' };
// @ts-expect-error there is no such option
export const withRetries: Open = { ...complete, retries: 3 };

export const answered: Answered = { accessToken };
export const answeredButGiven: Answered = { accessToken, baseUrl, method, encode };
// @ts-expect-error accessToken is required whatever is answered
export const answeredWithoutToken: Answered = {};

export const otherMediaType: OtherMediaType = { accessToken, baseUrl, method, encode };
// @ts-expect-error there is no encoder for the answer, so encode stays required
export const otherMediaTypeWithoutEncode: OtherMediaType = { accessToken, baseUrl, method };

export async function underTheAnswersOfToday(): Promise<number> {
  // @ts-expect-error a token is required, whatever is answered
  createNewPlantSender<Arbitrary>({ baseUrl, method, encode });
  const sender = createNewPlantSender<Arbitrary>({ accessToken, baseUrl, method, encode });
  // @ts-expect-error a sender takes the plants that it was made for
  await sender.send({ other: 1 });
  const { status } = await sender.send({ arbitrary: true }, { signal: new AbortController().signal });
  return status;
}

export function inferred(): void {
  const sender = createNewPlantSender({ accessToken, baseUrl, method, encode });
  // @ts-expect-error the plant's type comes from encode
  void sender.send('text');
}
