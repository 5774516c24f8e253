import ipaddr from 'ipaddr.js';

/**
 * Returns the source network that caps count by: an IPv4 /24 or an IPv6 /48. An unreadable address is its own
 * network, so that invalid addresses evade no cap.
 */
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

export const isOwnMachine = (network: string): boolean => network.startsWith('127.') || network === '::/48';
