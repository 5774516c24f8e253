import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

export type ProxyTest = (address: string) => boolean;

export function proxyTest(trusted: readonly string[]): ProxyTest {
  const ranges = trusted.map(rangeOf);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network as never, bits as never),
    );
  };
}

function rangeOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Returns the last address of the chain that is not a configured proxy: no trusted hop vouches for those before it. */
export function clientAddress(peer: string, forwardedFor: string | undefined, isProxy: ProxyTest): string {
  if (forwardedFor === undefined || !isProxy(peer)) return peer;
  let address = peer;
  for (const hop of forwardedFor.split(',').reverse()) {
    const candidate = withoutPort(hop.trim());
    if (!ipaddr.isValid(candidate)) return address;
    address = candidate;
    if (!isProxy(candidate)) break;
  }
  return address;
}

const withoutPort = (hop: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;

/**
 * Replaces the header by the result of `clientAddress`, because fastify's own parser rejects ports and accepts any
 * text.
 */
export function foldForwarded(headers: IncomingHttpHeaders, peer: string, isProxy: ProxyTest): void {
  const forwardedFor = headers['x-forwarded-for'];
  if (forwardedFor === undefined) return;
  headers['x-forwarded-for'] = clientAddress(peer, [forwardedFor].flat().join(','), isProxy);
}
