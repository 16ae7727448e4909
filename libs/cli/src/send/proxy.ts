import type { SecureContextOptions } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { BadInput } from '../context.js';

/**
 * The proxy of the environment, as curl chooses it: `https_proxy` or `HTTPS_PROXY` for https, `http_proxy` for http,
 * else `all_proxy` or `ALL_PROXY`. `HTTP_PROXY` is ignored: in a CGI program, a client sets it. `no_proxy` or `NO_PROXY`
 * names the hosts that are reached without one.
 *
 * @param connections How many may be open.
 * @param tls How they are made; `timeout` in milliseconds.
 * @returns `undefined` if there is none
 * @throws BadInput if the proxy isn't a URL. It may have a password, so it is in no message.
 */
export function proxyFor(
  baseUrl: unknown,
  environment: NodeJS.ProcessEnv,
  connections: number,
  tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & { readonly timeout: number },
): Dispatcher | undefined {
  const isHttps = /^https:/i.test(String(baseUrl));
  const names = isHttps ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
  const name = [...names, 'all_proxy', 'ALL_PROXY'].find((each) => environment[each]);
  if (name === undefined) return undefined;
  const value = environment[name]!;
  const url = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new BadInput(`${name} must be the URL of an HTTP proxy, such as http://host:3128.`);
  return new EnvHttpProxyAgent({
    httpProxy: url,
    httpsProxy: url,
    noProxy: environment['no_proxy'] ?? environment['NO_PROXY'] ?? '',
    connections,
    connect: tls,
    requestTls: tls,
    proxyTls: { timeout: tls.timeout },
  });
}
