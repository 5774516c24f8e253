import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { BlockList, isIP } from 'node:net';
import { randomBase62 } from '../../../foundation/platform/ids.ts';
import { CarrierError } from '../contract.ts';
import type { Binding } from './registrar.ts';
import type { SipTrunk } from './settings.ts';

export interface FoundTrunk {
  readonly trunk: SipTrunk;
  readonly addresses: readonly string[];
}

/** A name that does not resolve now may do so later; addresses in `allow` are allowed meanwhile. */
export async function findTrunks(trunks: readonly SipTrunk[]): Promise<FoundTrunk[]> {
  return Promise.all(
    trunks.map(async (trunk) => {
      const found = await lookup(trunk.host, { all: true }).catch(() => []);
      return { trunk, addresses: found.map(({ address }) => address) };
    }),
  );
}

export const allowedNets = (found: readonly FoundTrunk[]): string[] =>
  [...new Set(found.flatMap(({ trunk, addresses }) => [...trunk.allow, ...addresses]))].sort();

export function trunkOf(found: readonly FoundTrunk[], source: string): FoundTrunk | null {
  const family = isIP(source) === 6 ? 'ipv6' : 'ipv4';
  return (
    found.find(({ trunk, addresses }) => {
      const list = new BlockList();
      for (const net of [...trunk.allow, ...addresses]) {
        const [address = '', prefix] = net.split('/');
        const kind = isIP(address) === 6 ? 'ipv6' : 'ipv4';
        if (prefix === undefined) list.addAddress(address, kind);
        else list.addSubnet(address, Number(prefix), kind);
      }
      return list.check(source, family);
    }) ?? null
  );
}

/** Returns the local address that the system routes from; no packet is sent. */
export async function addressTowards(address: string): Promise<string> {
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
  try {
    socket.connect(9, address);
    await once(socket, 'connect');
    return socket.address().address;
  } finally {
    socket.close();
  }
}

const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

export const hostOf = ({ host, port }: SipTrunk): string =>
  port === 5060 ? bracketed(host) : `${bracketed(host)}:${port}`;

export function proxyOf({ trunk, addresses }: FoundTrunk): string | null {
  const [address] = addresses;
  if (address === undefined) return null;
  return `sip:${bracketed(address)}:${trunk.port};transport=${trunk.transport};lr`;
}

/** Turns `sip:+14155550100@host;user=phone` into `+14155550100`. Text that is no number stays as it is. */
export function numberIn(uri: string, known: readonly string[] = []): string {
  const user = /^(?:sips?|tel):([^@;>]+)/i.exec(uri)?.[1] ?? uri;
  const bare = user.replace(/[-.() ]/g, '');
  if (known.includes(bare)) return bare;
  if (known.includes(`+${bare}`)) return `+${bare}`;
  return /^[1-9][0-9]{7,14}$/.test(bare) ? `+${bare}` : bare;
}

export const uriAt = (trunk: SipTrunk, to: string): string =>
  /^sips?:/i.test(to) ? to : `sip:${to}@${hostOf(trunk)}`;

/** A registered telephone, as the trunk of its calls. */
export const telephoneAt = ({ source, port, transport }: Binding): FoundTrunk => ({
  trunk: {
    name: `telephone at ${source}:${port}`,
    host: source,
    port,
    transport,
    register: false,
    username: null,
    password: null,
    allow: [source],
    refer: false,
    replaces: false,
    numbers: [],
  },
  addresses: [source],
});

export const outgoingId = (): string => `out-${randomBase62(20)}`;

/** Returns the trunk of the number; a single trunk has every number. Throws CarrierError. */
export function trunkFor(all: readonly FoundTrunk[], from: string): FoundTrunk {
  const found = all.find(({ trunk }) => trunk.numbers.includes(from));
  const [only] = all;
  if (found !== undefined) return found;
  if (only !== undefined && all.length === 1) return only;
  throw new CarrierError('refused', `no trunk has the number ${from}`);
}
