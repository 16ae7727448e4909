import { BEARER } from '@plant-store/contract';
import { PlantStoreError } from '../errors/plant-store-error.js';
import type { AccessToken } from '../options/access-token.js';
import type { TokenSyntax } from '../options/read-access-token.js';
import type { Clocks } from './clock.js';
import type { Delivery } from './delivery.js';

/** Gets the credentials for a delivery, starts its clocks, and goes on with it unless it is settled. */
export type Authorizer = (delivery: Delivery, proceed: (credentials: string) => void) => void;

/** Decides how credentials are come by. */
export function createAuthorizer(accessToken: AccessToken, syntax: TokenSyntax, clocks: Clocks): Authorizer {
  return typeof accessToken === 'string'
    ? withToken(accessToken, clocks)
    : withTokenFunction(accessToken, syntax, clocks);
}

function withToken(accessToken: string, { first }: Clocks): Authorizer {
  const credentials = `${BEARER} ${accessToken}`;
  return (delivery, proceed) => {
    delivery.arm(first);
    proceed(credentials);
  };
}

type TokenFunction = Exclude<AccessToken, string>;

function withTokenFunction(accessToken: TokenFunction, syntax: TokenSyntax, clocks: Clocks): Authorizer {
  return (delivery, proceed) => {
    const started = performance.now();
    delivery.arm(clocks.total);
    obtain(accessToken, syntax, delivery).then(
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

async function obtain(accessToken: TokenFunction, syntax: TokenSyntax, delivery: Delivery): Promise<string> {
  const controller = new AbortController();
  delivery.whenGivenUp(() => controller.abort());
  const token: unknown = await call(accessToken, controller.signal);
  if (syntax.matches(token)) return token;
  throw accessTokenFailed(`\`accessToken\` must give ${syntax.description}.`);
}

async function call(accessToken: TokenFunction, signal: AbortSignal): Promise<unknown> {
  try {
    return await accessToken({ signal });
  } catch (cause) {
    throw accessTokenFailed('`accessToken` threw.', cause);
  }
}

function accessTokenFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_ACCESS_TOKEN_FAILED', message, { outcome: 'not-sent', cause });
}
