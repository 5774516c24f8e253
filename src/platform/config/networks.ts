import ipaddr from 'ipaddr.js';

/** Why a text is no address and no range of addresses; undefined: it is one. */
export function networkProblem(text: string): string | undefined {
  const isOne = text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
  return isOne ? undefined : 'is neither an address nor a CIDR range';
}
