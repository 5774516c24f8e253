import ipaddr from 'ipaddr.js';

export function networkProblem(text: string): string | undefined {
  const address = text.split('/', 1)[0] ?? '';
  // The library also reads old short forms: it takes 1.2.3 for 1.2.0.3, which is rarely meant.
  const isWhole = address.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(address);
  const isOne = isWhole && (text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text));
  return isOne ? undefined : 'is neither an address nor a CIDR range';
}
