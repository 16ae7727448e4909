import { BlockList, isIP } from 'node:net';
import { BadInput } from '../context.js';

/** A proxy of the environment. */
export interface Proxy {
  /** The variable of the environment that names it. */
  readonly name: string;
  /** Without user and password, which are in no message. */
  readonly url: string;
  /** As in a URL, so with brackets for IPv6. */
  readonly hostname: string;
  readonly port: number;
  /** The field `Proxy-Authorization`, if there is a user. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * The proxy that the environment names for a receiver, as curl chooses it: `https_proxy` or `HTTPS_PROXY` for https,
 * `http_proxy` for http, else `all_proxy` or `ALL_PROXY`. `HTTP_PROXY` is ignored: in a CGI program, a client sets it.
 * An empty variable counts as none.
 *
 * @returns `undefined` if there is none, or the receiver is reached without
 * @throws BadInput if the proxy isn't a URL. It may have a password, so it is in no message.
 */
export function proxyOf({ protocol, hostname }: URL, environment: NodeJS.ProcessEnv): Proxy | undefined {
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
  const name = [...names, 'all_proxy', 'ALL_PROXY'].find((each) => environment[each]);
  if (name === undefined || isExempt(hostname, environment['no_proxy'] || environment['NO_PROXY'] || ''))
    return undefined;
  const text = environment[name]!.includes('://') ? environment[name]! : `http://${environment[name]}`;
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (!address || !/^https?:$/.test(address.protocol))
    throw new BadInput(`${name} must be the URL of an HTTP proxy, such as http://host:3128.`);
  const { protocol: scheme, username, password } = address;
  // A `URL` has no port if it is that of its scheme, which curl doesn't take by default.
  const [, port = scheme === 'https:' ? '443' : '1080'] =
    /^[^/]*\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(text) ?? [];
  const user = percentDecoded(`${username}:${password}`).toString('base64');
  return {
    name,
    url: `${scheme}//${address.hostname}:${port}`,
    hostname: address.hostname,
    port: Number(port),
    fields: username || password ? { 'proxy-authorization': `Basic ${user}` } : {},
  };
}

/** The bytes of a user and password, which need not be UTF-8. */
function percentDecoded(text: string): Buffer {
  const decoded = text.replaceAll(/%([\da-f]{2})/gi, (_, byte: string) =>
    String.fromCharCode(Number.parseInt(byte, 16)),
  );
  return Buffer.from(decoded, 'latin1');
}

/** Whether `no_proxy` names the host of a URL, as curl 7.86 to 8.8 decides. */
export function isExempt(hostname: string, noProxy: string): boolean {
  if (noProxy === '*') return true;
  const host = hostname.replaceAll(/^\[|\]$|\.$/g, '');
  const names = isIP(host) === 0 ? isDomainOf : isNetworkOf;
  return noProxy.split(/[ \t,]+/).some((entry) => names(host, entry));
}

function isDomainOf(host: string, entry: string): boolean {
  const domain = entry.toLowerCase().replace(/\.$/, '').replace(/^\./, '');
  return domain !== '' && `.${host}`.endsWith(`.${domain}`);
}

function isNetworkOf(host: string, entry: string): boolean {
  const [network = '', length = ''] = entry.split('/');
  const [family, longest] = isIP(host) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  // Like curl: what isn't a number, and 0, is the whole address.
  const prefix = Number.parseInt(length) || longest;
  if (isIP(network) !== isIP(host) || network.includes('%') || prefix < 0 || prefix > longest) return false;
  const networks = new BlockList();
  networks.addSubnet(network, prefix, family);
  return networks.check(host, family);
}
