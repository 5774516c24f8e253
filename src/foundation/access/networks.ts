import ipaddr from 'ipaddr.js';

/** The source network that caps count by: an IPv4 /24 or an IPv6 /48. An address that cannot be read is its own network,
 * so that nobody escapes a cap by sending nonsense. */
export function sourceNetwork(remoteAddress: string): string {
  if (!ipaddr.isValid(remoteAddress)) return `unreadable:${remoteAddress.slice(0, 64)}`;
  const address = ipaddr.process(remoteAddress);
  const bits = address.kind() === 'ipv4' ? 24 : 48;
  const network =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${stripZone(address.toNormalizedString())}/${bits}`);
  return `${network.toString()}/${bits}`;
}

const stripZone = (address: string): string => address.replace(/%.*$/, '');

/** This machine itself: whoever reaches the server from it is not a stranger. */
export const isOwnMachine = (network: string): boolean => network.startsWith('127.') || network === '::/48';
