import { isIP } from 'node:net';

export type AddressFilter = (address: string, port: number) => boolean;

/** The syntax is that of RFC 8839 which the library accepts: single spaces, UDP, an address and a port. */
const CANDIDATE = /^(?:a=)?candidate:[^\s:]+ \d+ udp \d+ (\S+) (\d+) typ [^\r\n]+$/i;

/**
 * Host names are not resolved, since a stranger wrote them. A browser that hides its address behind one is found when
 * it sends.
 */
export function isReachable(line: string, mayReach: AddressFilter): boolean {
  const [, address = '', port] = CANDIDATE.exec(line) ?? [];
  return isIP(address) !== 0 && Number(port) > 0 && mayReach(address, Number(port));
}

/** Removes the candidates to which nothing may be sent. The remote side is found by the address it sends from. */
export const onlyReachable = (sdp: string, mayReach: AddressFilter): string =>
  sdp
    .split(/\r?\n/)
    .filter((line) => !/^a=candidate/i.test(line.trimStart()) || isReachable(line, mayReach))
    .join('\r\n');
