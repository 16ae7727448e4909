import { BEARER } from '@plant-store/contract';
import { PlantStoreError } from '../errors/plant-store-error.js';
import type { AccessToken } from '../options/access-token.js';
import { ACCESS_TOKEN_SYNTAX, isAccessToken } from '../options/read-access-token.js';
import type { Clocks } from './clock.js';
import type { Delivery } from './delivery.js';

/** Gets the credentials for a delivery, starts its clocks, and goes on with it unless it is settled. */
export type Authorizer = (delivery: Delivery, proceed: (credentials: string) => void) => void;

/** Decides how credentials are come by. */
export function createAuthorizer(accessToken: AccessToken, clocks: Clocks): Authorizer {
  return typeof accessToken === 'string'
    ? withToken(accessToken, clocks)
    : withTokenFunction(accessToken, clocks);
}

function withToken(accessToken: string, { first }: Clocks): Authorizer {
  const credentials = `${BEARER} ${accessToken}`;
  return (delivery, proceed) => {
    delivery.arm(first);
    proceed(credentials);
  };
}

function withTokenFunction(accessToken: Exclude<AccessToken, string>, clocks: Clocks): Authorizer {
  return (delivery, proceed) => {
    const started = performance.now();
    delivery.arm(clocks.total);
    obtain(accessToken, delivery).then(
      (token) => {
        if (delivery.settled) return;
        const left = clocks.total.milliseconds - (performance.now() - started);
        if (clocks.attempt.milliseconds < left) delivery.arm(clocks.attempt);
        proceed(`${BEARER} ${token}`);
      },
      (error: unknown) => delivery.fail(error as Error),
    );
  };
}

async function obtain(accessToken: Exclude<AccessToken, string>, delivery: Delivery): Promise<string> {
  const controller = new AbortController();
  delivery.whenGivenUp(() => controller.abort());
  const token: unknown = await call(accessToken, controller.signal);
  if (isAccessToken(token)) return token;
  throw accessTokenFailed(`\`accessToken\` must give ${ACCESS_TOKEN_SYNTAX}.`);
}

async function call(accessToken: Exclude<AccessToken, string>, signal: AbortSignal): Promise<unknown> {
  try {
    return await accessToken({ signal });
  } catch (cause) {
    throw accessTokenFailed('`accessToken` threw.', cause);
  }
}

function accessTokenFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_ACCESS_TOKEN_FAILED', message, { outcome: 'not-sent', cause });
}
