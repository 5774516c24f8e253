import { isIP } from 'node:net';

/** Whether packets may be sent there because a stranger's description says so. */
export type AddressFilter = (address: string, port: number) => boolean;

/** The syntax is that of RFC 8839 which the library accepts: single spaces, UDP, an address and a port. */
const CANDIDATE = /^(?:a=)?candidate:[^\s:]+ \d+ udp \d+ (\S+) (\d+) typ [^\r\n]+$/i;

/** Names are not looked up for whoever writes them; a browser that hides its address so is found when it sends. */
export function isReachable(line: string, mayReach: AddressFilter): boolean {
  const [, address = '', port] = CANDIDATE.exec(line) ?? [];
  return isIP(address) !== 0 && Number(port) > 0 && mayReach(address, Number(port));
}

/** The description without the candidates to which nothing may be sent. The other side is found by what it sends from there. */
export const onlyReachable = (sdp: string, mayReach: AddressFilter): string =>
  sdp
    .split(/\r?\n/)
    .filter((line) => !/^a=candidate/i.test(line.trimStart()) || isReachable(line, mayReach))
    .join('\r\n');
