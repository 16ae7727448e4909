import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { BadInput } from '../context.js';

/** How connections are made, as the options of a sender have it. */
export interface ConnectionOptions {
  readonly maxConnections: number;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/**
 * The proxy of the environment, as curl chooses it: `https_proxy` or `HTTPS_PROXY` for https, `http_proxy` for http,
 * else `all_proxy` or `ALL_PROXY`. `HTTP_PROXY` is ignored: in a CGI program, a client sets it. `no_proxy` or `NO_PROXY`
 * names the hosts that are reached without one.
 *
 * @returns `undefined` if there is none
 * @throws BadInput if the proxy isn't a URL. It may have a password, so it is in no message.
 */
export function proxyFor(
  baseUrl: unknown,
  environment: NodeJS.ProcessEnv,
  { maxConnections, connectTimeout: timeout, ca, cert, key }: ConnectionOptions,
): Dispatcher | undefined {
  const isHttps = /^https:/i.test(String(baseUrl));
  const names = isHttps ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
  const name = [...names, 'all_proxy', 'ALL_PROXY'].find((each) => environment[each]);
  if (name === undefined) return undefined;
  const value = environment[name]!;
  const url = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new BadInput(`${name} must be the URL of an HTTP proxy, such as http://host:3128.`);
  const tls = { ca, cert, key, timeout };
  const noProxy = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  const connections = { connections: maxConnections, connect: tls, requestTls: tls, proxyTls: { timeout } };
  return new EnvHttpProxyAgent({ httpProxy: url, httpsProxy: url, noProxy, ...connections });
}
