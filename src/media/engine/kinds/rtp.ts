import type { LaneKind } from '../contract.ts';
import { integer, outOfRange } from '../options.ts';
import { BodyReader, EngineEventType, event, packOptions, text, u32 } from '../packed-records.ts';

export const RTP_RATES = [8000, 16000, 24000] as const;
export type RtpRate = (typeof RTP_RATES)[number];

export interface RtpLaneOptions {
  /** The rate of PCM16 on this side; G.711 needs no more than 8000, Opus decodes to any. */
  readonly rate: RtpRate;
  readonly codec?: 'pcm16' | 'ulaw';
  readonly bind: string;
  readonly ports?: { readonly from: number; readonly to: number };
  readonly ssrc?: number;
  readonly quietMs?: number;
  readonly deadMs?: number;
}

export type RtpCodec = 'pcmu' | 'pcma' | 'opus';

export interface RtpPayload {
  readonly type: number;
  readonly codec: RtpCodec;
}

export interface RtpSetup {
  readonly address: string;
  readonly port: number;
  readonly rtcp?: number | 'mux';
  readonly listen: readonly RtpPayload[];
  readonly speak: RtpPayload;
  readonly opus?: { readonly repeats: boolean; readonly pauses: boolean };
  /** Telephone events; without them, keys are tones in the audio in both directions. */
  readonly events?: { readonly type: number; readonly clock: number };
  /** Comfort noise; `sends` signals our silence as comfort noise. */
  readonly noise?: { readonly type: number; readonly sends: boolean };
  /** The SDES keys include their salts. */
  readonly srtp?: { readonly suite: string; readonly inKey: Uint8Array; readonly outKey: Uint8Array };
  /** Accepts packets from another port of `address`, or from `networks` (a NAT). The default is true. */
  readonly symmetric?: boolean;
  /** Addresses and networks (CIDR) of the peer. Authenticated packets may come from anywhere. */
  readonly networks?: readonly string[];
  readonly sends?: boolean;
  readonly receives?: boolean;
}

/** The order equals that of native/lanes/rtp/statistics.cc. */
const STATISTICS = [
  'packetsReceived',
  'bytesReceived',
  'packetsLost',
  'packetsLate',
  'packetsTwice',
  'packetsReordered',
  'jitterMs',
  'concealedMs',
  'packetsRecovered',
  'playedMs',
  'shortenedMs',
  'lengthenedMs',
  'waitMs',
  'wantedWaitMs',
  'mosReceived',
  'packetsSent',
  'bytesSent',
  'remoteLost',
  'remoteLoss',
  'remoteJitterMs',
  'roundTripMs',
  'mosSent',
  'packetsForeign',
  'packetsBad',
  'packetsUnsent',
  'remoteBye',
  'clippedIn',
  'clippedOut',
  'echoDelayMs',
  'echoDb',
] as const;

/**
 * The statistics of a call. `remote…` is what the peer reports of our stream; -1 means no report, or no packets; for
 * `echoDelayMs`, that no echo was found.
 */
export type RtpStatistics = Readonly<Record<(typeof STATISTICS)[number], number>>;

const STATES = ['heard', 'quiet', 'dead'] as const;

/** The rows of native/lanes/rtp/lane.h, in its order. */
const EVENTS = [
  event('opened', { port: u32, rtcpPort: u32 }),
  event('ready', {}),
  event('refused', { reason: text }),
  event('source', { from: text }),
  event('key', { digit: (reader) => String.fromCharCode(reader.u32()) }),
  event('silence', {
    state: (reader) => STATES[reader.u64()] ?? 'dead',
    silentMs: (reader) => Math.round(reader.f64()),
  }),
  event('marked', { number: u32 }),
  event('statistics', {
    statistics: (reader) =>
      Object.fromEntries(STATISTICS.map((name) => [name, reader.f64()])) as RtpStatistics,
  }),
] as const;

export type RtpEvent = ReturnType<(typeof EVENTS)[number]>;

/** The numbers equal those of native/lanes/rtp/lane.h. */
export const RtpVerb = { setup: 1, keys: 2, clear: 3, direct: 4, mark: 5 } as const;

export const rtpLane: LaneKind<RtpLaneOptions, RtpEvent> = {
  name: 'rtp',
  flatten({ rate, codec = 'pcm16', bind, ports, ssrc, quietMs = 5000, deadMs = 20_000 }) {
    if (!RTP_RATES.includes(rate)) outOfRange('rate', RTP_RATES.join(', '), rate);
    if (codec === 'ulaw' && rate !== 8000) outOfRange('rate', '8000 for u-law', rate);
    return {
      rate,
      codec,
      bind,
      port_from: ports && integer('ports.from', ports.from, 1024, 65534),
      port_to: ports && integer('ports.to', ports.to, ports.from + 1, 65535),
      ssrc: ssrc === undefined ? ssrc : integer('ssrc', ssrc, 1, 0xffff_ffff),
      quiet_ms: quietMs,
      dead_ms: deadMs,
    };
  },
  decode(type, _flags, body) {
    const decode = EVENTS[type - EngineEventType.firstOfKind];
    if (decode === undefined) throw new RangeError(`expected an event of an rtp lane, received type ${type}`);
    return decode(new BodyReader(body));
  },
};

const payloadText = ({ type, codec }: RtpPayload): string => `${type} ${codec}`;

export function packRtpSetup(setup: RtpSetup): Uint8Array {
  const { rtcp, events, noise, opus, srtp } = setup;
  return packOptions({
    address: setup.address,
    port: setup.port,
    ...(rtcp === 'mux' ? { rtcp_mux: true } : { rtcp_port: rtcp }),
    listen: setup.listen.map(payloadText),
    speak: payloadText(setup.speak),
    ...(opus ?? {}),
    event_type: events?.type,
    event_clock: events?.clock,
    noise_type: noise?.type,
    sends_noise: noise?.sends,
    srtp_suite: srtp?.suite,
    srtp_in: srtp?.inKey,
    srtp_out: srtp?.outKey,
    symmetric: setup.symmetric ?? true,
    networks: setup.networks ?? [],
    sends: setup.sends ?? true,
    receives: setup.receives ?? true,
  });
}
