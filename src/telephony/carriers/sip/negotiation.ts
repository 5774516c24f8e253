import type { RtpPayload, RtpSetup } from '../../../media/engine/index.ts';
import {
  type AudioDescription,
  type Direction,
  newCrypto,
  type OwnDescription,
  type SdpCrypto,
} from './sdp.ts';

export interface SipCapabilities {
  readonly opus: boolean;
  readonly srtp: boolean;
}

export interface LocalEndpoint {
  readonly address: string;
  readonly port: number;
  readonly session: { readonly id: number; version: number };
}

export interface PreviousNegotiation {
  readonly codec: RtpPayload | null;
  readonly crypto: SdpCrypto | null;
}

export interface NegotiatedMedia {
  readonly setup: RtpSetup;
  readonly answer: OwnDescription;
}

const G711: readonly RtpPayload[] = [
  { type: 0, codec: 'pcmu' },
  { type: 8, codec: 'pcma' },
];
const OPUS: RtpPayload = { type: 111, codec: 'opus' };
const NOISE = 13;
const EVENTS = { type: 101, clock: 8000 };

/**
 * `secure` is true for a trunk with encrypted signalling. The codec and the key of an earlier agreement come first,
 * so that they stay in use.
 */
export function offerOf(
  own: LocalEndpoint,
  abilities: SipCapabilities,
  secure: boolean,
  direction: Direction,
  before: PreviousNegotiation,
): OwnDescription {
  const all = abilities.opus ? [...G711, OPUS] : G711;
  const { codec, crypto } = before;
  const enciphered = secure || crypto !== null;
  return {
    ...own,
    session: { ...own.session },
    profile: enciphered ? 'RTP/SAVP' : 'RTP/AVP',
    codecs: codec === null ? all : [codec, ...all.filter((one) => one.codec !== codec.codec)],
    events: [EVENTS],
    noise: NOISE,
    crypto: enciphered ? (crypto ?? newCrypto()) : null,
    direction,
  };
}

const MIRRORED: Readonly<Record<Direction, Direction>> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

const canSpeak = (abilities: SipCapabilities) => (payload: RtpPayload) =>
  payload.codec !== 'opus' || abilities.opus;

/** Returns the answer to an offer, or null without a common codec. The remote side's order of codecs decides. */
export function answerTo(
  theirs: AudioDescription,
  own: LocalEndpoint,
  abilities: SipCapabilities,
  before: PreviousNegotiation,
): NegotiatedMedia | null {
  const [codec] = theirs.codecs.filter(canSpeak(abilities));
  const secure = theirs.profile.includes('SAVP');
  const [offered] = abilities.srtp ? theirs.crypto : [];
  if (codec === undefined || (secure && offered === undefined)) return null;
  const reused = offered !== undefined && before.crypto?.suite === offered.suite ? before.crypto : null;
  const crypto = offered === undefined ? null : { ...(reused ?? newCrypto(offered.suite)), tag: offered.tag };
  const clock = codec.codec === 'opus' ? 48_000 : 8000;
  const event = theirs.events.find((one) => one.clock === clock) ?? theirs.events[0];
  const answer: OwnDescription = {
    ...own,
    session: { ...own.session },
    profile: theirs.profile,
    codecs: [codec],
    events: event === undefined ? [] : [event],
    noise: codec.codec === 'opus' ? null : theirs.noise,
    crypto,
    direction: MIRRORED[theirs.direction],
    others: { media: theirs.others, at: theirs.at },
  };
  return { answer, setup: setupOf(theirs, answer, offered ?? null) };
}

export function agreedOn(theirs: AudioDescription, offered: OwnDescription): RtpSetup | null {
  const codecs = theirs.codecs.filter(({ codec }) => offered.codecs.some((own) => own.codec === codec));
  const crypto = theirs.crypto.find(({ suite }) => suite === offered.crypto?.suite) ?? null;
  if (codecs.length === 0 || theirs.port === 0 || (offered.crypto !== null && crypto === null)) return null;
  return setupOf({ ...theirs, codecs }, { ...offered, codecs }, crypto);
}

function setupOf(theirs: AudioDescription, own: OwnDescription, crypto: SdpCrypto | null): RtpSetup {
  const speak = theirs.codecs[0] as RtpPayload;
  const chosen = own.codecs.some(({ codec }) => codec === speak.codec)
    ? speak
    : (own.codecs[0] as RtpPayload);
  const event = theirs.events[0];
  const held = theirs.direction === 'inactive';
  return {
    address: theirs.address,
    port: theirs.port,
    ...(theirs.rtcpPort === null ? {} : { rtcp: theirs.rtcpPort }),
    listen: own.codecs,
    speak: chosen,
    ...(event === undefined ? {} : { events: own.events[0] ?? event }),
    ...(own.noise === null ? {} : { noise: { type: own.noise, sends: false } }),
    ...(crypto === null || own.crypto === null
      ? {}
      : { srtp: { suite: crypto.suite, inKey: crypto.key, outKey: own.crypto.key } }),
    sends: !held && theirs.direction !== 'sendonly' && theirs.address !== '0.0.0.0',
    receives: !held && theirs.direction !== 'recvonly',
  };
}
