import ipaddr from 'ipaddr.js';

/** Why a text is no address and no range of addresses; undefined: it is one. */
export function networkProblem(text: string): string | undefined {
  const address = text.split('/', 1)[0] ?? '';
  // The library also reads the short forms of old: 1.2.3 is 1.2.0.3 to it, and hardly to whoever wrote it.
  const isWhole = address.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(address);
  const isOne = isWhole && (text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text));
  return isOne ? undefined : 'is neither an address nor a CIDR range';
}
