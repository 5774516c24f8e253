/** Session descriptions (RFC 4566, 3264), as far as a telephone call needs them. */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { RtpCodec, RtpPayload } from '../../../media/engine/index.ts';

export interface SdpCrypto {
  readonly tag: string;
  readonly suite: string;
  readonly key: Buffer;
}

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

export interface AudioDescription {
  readonly address: string;
  readonly port: number;
  readonly profile: string;
  readonly codecs: readonly RtpPayload[];
  readonly events: readonly { readonly type: number; readonly clock: number }[];
  readonly noise: number | null;
  readonly crypto: readonly SdpCrypto[];
  readonly direction: Direction;
  readonly rtcpPort: number | null;
  readonly rtcpMux: boolean;
  readonly others: readonly string[];
  readonly at: number;
}

const STATIC: Readonly<Record<number, string>> = { 0: 'PCMU/8000', 8: 'PCMA/8000', 13: 'CN/8000' };
const CODECS: Readonly<Record<string, RtpCodec>> = {
  'PCMU/8000': 'pcmu',
  'PCMA/8000': 'pcma',
  'OPUS/48000/2': 'opus',
};
const SUITES: Readonly<Record<string, number>> = {
  AES_CM_128_HMAC_SHA1_80: 30,
  AES_CM_128_HMAC_SHA1_32: 30,
  AES_256_CM_HMAC_SHA1_80: 46,
  AES_256_CM_HMAC_SHA1_32: 46,
};
const DIRECTIONS: readonly Direction[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'];
const MOST_BYTES = 64 * 1024;

interface Section {
  readonly media: string;
  readonly lines: readonly string[];
}

/** Returns null without audio over RTP from a numeric address. */
export function readSdp(text: string): AudioDescription | null {
  if (text.length > MOST_BYTES) return null;
  const [session, sections] = split(text);
  const at = sections.findIndex(({ media }) => /^audio [0-9]+ RTP\/S?AVPF?( |$)/.test(media));
  const section = sections[at];
  if (section === undefined) return null;
  const [, port, profile = '', ...types] = section.media.split(' ');
  const address = addressOf(section.lines) ?? addressOf(session);
  if (address === null || Number(port) > 65535) return null;
  const attributes = section.lines.filter((line) => line.startsWith('a=')).map((line) => line.slice(2));
  const maps = types.map((type) => ({ type: Number(type), map: mapOf(attributes, Number(type)) }));
  const rtcp = attributes.find((line) => /^rtcp:[0-9]+/.test(line));
  return {
    address,
    port: Number(port),
    profile,
    codecs: maps.flatMap(({ type, map }) => {
      const codec = CODECS[map];
      return codec === undefined ? [] : [{ type, codec }];
    }),
    events: maps.flatMap(({ type, map }) => {
      const found = /^TELEPHONE-EVENT\/([0-9]+)/.exec(map);
      return found === null ? [] : [{ type, clock: Number(found[1]) }];
    }),
    noise: maps.find(({ map }) => map === 'CN/8000')?.type ?? null,
    crypto: attributes.flatMap(cryptoOf),
    direction: directionOf(attributes) ?? directionOf(session.map((line) => line.slice(2))) ?? 'sendrecv',
    rtcpPort: rtcp === undefined ? null : Number.parseInt(rtcp.slice(5), 10),
    rtcpMux: attributes.includes('rtcp-mux'),
    others: sections.map(({ media }) => media),
    at,
  };
}

function split(text: string): [string[], Section[]] {
  const session: string[] = [];
  const sections: { media: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('m=')) sections.push({ media: line.slice(2).trim(), lines: [] });
    else (sections.at(-1)?.lines ?? session).push(line);
  }
  return [session, sections];
}

function addressOf(lines: readonly string[]): string | null {
  const line = lines.find((one) => one.startsWith('c=IN IP'));
  const address = line?.split(' ')[2]?.split('/')[0] ?? '';
  return isIP(address) === 0 ? null : address;
}

function mapOf(attributes: readonly string[], type: number): string {
  const line = attributes.find((one) => one.startsWith(`rtpmap:${type} `));
  return (line?.slice(line.indexOf(' ') + 1).trim() ?? STATIC[type] ?? '').toUpperCase();
}

const directionOf = (attributes: readonly string[]): Direction | undefined =>
  DIRECTIONS.find((direction) => attributes.includes(direction));

function cryptoOf(line: string): SdpCrypto[] {
  const found = /^crypto:([0-9]{1,9}) ([A-Z0-9_]+) inline:([A-Za-z0-9+/=]+)/.exec(line);
  const [, tag = '', suite = '', inline = ''] = found ?? [];
  const key = Buffer.from(inline, 'base64');
  return SUITES[suite] !== undefined && key.length === SUITES[suite] ? [{ tag, suite, key }] : [];
}

export const newCrypto = (suite = 'AES_CM_128_HMAC_SHA1_80', tag = '1'): SdpCrypto => ({
  tag,
  suite,
  key: randomBytes(SUITES[suite] ?? 30),
});

export interface OwnDescription {
  readonly address: string;
  readonly port: number;
  readonly session: { readonly id: number; readonly version: number };
  readonly profile: string;
  readonly codecs: readonly RtpPayload[];
  readonly events: readonly { readonly type: number; readonly clock: number }[];
  readonly noise: number | null;
  readonly crypto: SdpCrypto | null;
  readonly direction: Direction;
  /** An answer rejects the other media lines in their places (RFC 3264). */
  readonly others?: { readonly media: readonly string[]; readonly at: number };
}

const MAPS: Readonly<Record<RtpCodec, string>> = {
  pcmu: 'PCMU/8000',
  pcma: 'PCMA/8000',
  opus: 'opus/48000/2',
};

export function writeSdp(own: OwnDescription): string {
  const family = isIP(own.address) === 6 ? 'IP6' : 'IP4';
  const { media, at } = own.others ?? { media: [''], at: 0 };
  const lines = [
    'v=0',
    `o=- ${own.session.id} ${own.session.version} IN ${family} ${own.address}`,
    's=-',
    `c=IN ${family} ${own.address}`,
    't=0 0',
    ...media.flatMap((line, index) => (index === at ? audioLines(own) : [refused(line)])),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function audioLines(own: OwnDescription): string[] {
  const types = [
    ...own.codecs.map(({ type }) => type),
    ...(own.noise === null ? [] : [own.noise]),
    ...own.events.map(({ type }) => type),
  ];
  const { crypto } = own;
  return [
    `m=audio ${own.port} ${own.profile} ${types.join(' ')}`,
    ...own.codecs.map(({ type, codec }) => `a=rtpmap:${type} ${MAPS[codec]}`),
    ...own.codecs
      .filter(({ codec }) => codec === 'opus')
      .map(({ type }) => `a=fmtp:${type} useinbandfec=1; maxaveragebitrate=24000`),
    ...(own.noise === null ? [] : [`a=rtpmap:${own.noise} CN/8000`]),
    ...own.events.flatMap(({ type, clock }) => [
      `a=rtpmap:${type} telephone-event/${clock}`,
      `a=fmtp:${type} 0-15`,
    ]),
    ...(crypto === null
      ? []
      : [`a=crypto:${crypto.tag} ${crypto.suite} inline:${crypto.key.toString('base64')}`]),
    'a=ptime:20',
    `a=${own.direction}`,
  ];
}

/** `video 5004 RTP/AVP 96` → the same with port 0. */
const refused = (media: string): string => `m=${media.replace(/^(\S+) \S+/, '$1 0')}`;
