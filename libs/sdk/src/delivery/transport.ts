import { Pool } from 'undici';
import type { EncodedPlant } from '../encoders/encode-plant.js';
import type { Settings } from '../options/resolve-settings.js';
import { additionalHeaders } from './additional-headers.js';
import { answeredHeaders, type MakeHeaders } from './answered-headers.js';
import { createConnector } from './connector.js';
import type { Delivery } from './delivery.js';

/** The connections of one sender. */
export interface Transport {
  /** Makes an attempt. What comes of it, the delivery is told. */
  dispatch(delivery: Delivery, plant: EncodedPlant, credentials: string): void;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

type TransportSettings = Pick<
  Settings<never>,
  'target' | 'method' | 'headers' | 'connectTimeout' | 'maxConnections' | 'answered' | 'signingKey'
>;

/**
 * Opens a transport that sends each request once: no redirection, no repetition, one request at a time on a
 * connection, and none of undici's time-outs, since a delivery has clocks of its own.
 */
export function openTransport(settings: TransportSettings): Transport {
  const { target, method, connectTimeout, maxConnections } = settings;
  const connector = createConnector(target.origin, connectTimeout);
  const headersOf = createHeaders(settings);
  const pool = new Pool(target.origin, {
    connect: connector.connect,
    connections: maxConnections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    dispatch(delivery, plant, credentials) {
      const headers = headersOf(plant, credentials);
      pool.dispatch({ path: target.path, method, headers, body: plant.content }, delivery);
    },
    async close() {
      await pool.destroy();
      connector.destroyAll();
    },
  };
}

type Headers = (plant: EncodedPlant, credentials: string) => string[];

function createHeaders({ headers: hook, method, target, answered, signingKey }: TransportSettings): Headers {
  const { makers, names } = answeredHeaders(answered, signingKey);
  const all: MakeHeaders[] = [...makers];
  if (hook !== undefined) {
    const added = additionalHeaders(hook, names);
    all.push((plant) => added({ method, url: target.url, ...plant }));
  }
  return all.length === 0
    ? requiredHeaders
    : (plant, credentials) => [
        ...requiredHeaders(plant, credentials),
        ...all.flatMap((headersOf) => headersOf(plant)),
      ];
}

function requiredHeaders({ mediaType }: EncodedPlant, credentials: string): string[] {
  return mediaType === undefined
    ? ['authorization', credentials]
    : ['authorization', credentials, 'content-type', mediaType];
}
