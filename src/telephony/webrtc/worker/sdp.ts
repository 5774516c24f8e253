/** Reads session descriptions (RFC 8866), and rewrites outgoing ones. */
import { isIP } from 'node:net';
import type { PeerFormat } from '../protocol.ts';
import { chosenFormat } from './formats.ts';

export class DescriptionError extends Error {}

export interface RemoteDescription {
  readonly mid: string;
  readonly format: PeerFormat;
  readonly channel: boolean;
}

interface Section {
  readonly media: string;
  readonly formats: readonly string[];
  readonly port: string;
  readonly attributes: readonly string[];
}

const MOST_LINES = 1_500;
const MOST_SECTIONS = 8;
const MOST_CANDIDATES = 30;
const STATIC_TYPES: Readonly<Record<string, string>> = { '0': 'pcmu/8000', '8': 'pcma/8000' };

export function readDescription(sdp: string, opus: boolean): RemoteDescription {
  const sections = sectionsOf(sdp);
  const session = sections[0]?.attributes ?? [];
  const sounds = sections.filter(({ media, port }) => media === 'audio' && port !== '0');
  const [audio] = sounds;
  if (audio === undefined || sounds.length > 1)
    throw new DescriptionError('the description must have exactly one audio section (m=audio)');
  const other = sections.slice(1).find(({ media }) => media !== 'audio' && media !== 'application');
  if (other !== undefined) throw new DescriptionError(`a call carries audio only, not ${other.media}`);
  demandKeys([...session, ...audio.attributes]);
  return {
    mid: attributeOf(audio.attributes, 'mid') ?? '0',
    format: formatOf(audio, opus),
    channel: sections.some(({ media, port }) => media === 'application' && port !== '0'),
  };
}

function sectionsOf(sdp: string): Section[] {
  const lines = sdp.split(/\r?\n/);
  if (!sdp.startsWith('v=0'))
    throw new DescriptionError('the body is not a session description (SDP): it must start with v=0');
  if (lines.length > MOST_LINES)
    throw new DescriptionError(`a description can have at most ${MOST_LINES} lines`);
  const sections: { media: string; port: string; formats: string[]; attributes: string[] }[] = [
    { media: '', port: '', formats: [], attributes: [] },
  ];
  for (const line of lines) {
    if (line.startsWith('m=')) {
      const [media = '', port = '', , ...formats] = line.slice(2).split(' ');
      sections.push({ media, port, formats, attributes: [] });
    } else if (line.startsWith('a=')) sections.at(-1)?.attributes.push(line.slice(2));
  }
  if (sections.length > MOST_SECTIONS)
    throw new DescriptionError('the description has too many media sections');
  return sections;
}

function demandKeys(attributes: readonly string[]): void {
  for (const name of ['ice-ufrag', 'ice-pwd', 'fingerprint'])
    if (attributeOf(attributes, name) === undefined)
      throw new DescriptionError(`the description has no a=${name}: WebRTC needs ICE and DTLS-SRTP`);
}

const attributeOf = (attributes: readonly string[], name: string): string | undefined =>
  attributes
    .find((one) => one.startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim();

function formatOf(audio: Section, opus: boolean): PeerFormat {
  const theirs = audio.formats.map((type) => ({
    type: Number(type),
    name: nameOf(audio, type),
    parameters: audio.attributes.find((one) => one.startsWith(`fmtp:${type} `)) ?? '',
  }));
  const chosen = chosenFormat(theirs, opus);
  if (chosen !== null) return chosen;
  const served = opus ? 'Opus, PCMU or PCMA' : 'PCMU or PCMA at 8000 Hz';
  throw new DescriptionError(`none of the offered codecs is supported: offer ${served}`);
}

/** `pcmu/8000`, `opus/48000/2` */
function nameOf(audio: Section, type: string): string {
  const map = audio.attributes.find((one) => one.startsWith(`rtpmap:${type} `));
  const said = map
    ?.slice(map.indexOf(' ') + 1)
    .trim()
    .toLowerCase();
  return said?.replace(/\/1$/, '') ?? STATIC_TYPES[type] ?? '';
}

/**
 * Returns whether a candidate can be checked: UDP to an IP address. Host names are not resolved, since a stranger
 * wrote them. A browser that hides its address behind one is found when it sends.
 */
export const isCandidate = (line: string): boolean => {
  const [, , transport, , address, port] = line.replace(/^a=/, '').split(' ');
  return transport?.toLowerCase() === 'udp' && isIP(address ?? '') !== 0 && Number(port) > 0;
};

export function checkable(sdp: string): string {
  let left = MOST_CANDIDATES;
  return sdp
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('a=candidate:') || (isCandidate(line) && left-- > 0))
    .join('\r\n');
}

export function outgoing(sdp: string, address: string | null): string {
  if (address === null) return sdp;
  const seen = new Set<string>();
  return sdp
    .split(/\r?\n/)
    .map((line) => (line.startsWith('a=candidate:') ? placed(line, address) : line))
    .filter((line) => !line.startsWith('a=candidate:') || (!seen.has(place(line)) && seen.add(place(line))))
    .join('\r\n');
}

/** Replaces the address of a host candidate; the duplicates that result are dropped. */
function placed(line: string, address: string): string {
  const parts = line.split(' ');
  if (parts[7] !== 'host') return line;
  parts[4] = address;
  return parts.join(' ');
}

const place = (line: string): string => line.split(' ').slice(4, 6).join(' ');
