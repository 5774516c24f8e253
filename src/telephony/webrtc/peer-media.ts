import {
  type Engine,
  type Lane,
  packRtpSetup,
  type RtpEvent,
  type RtpStatistics,
  RtpVerb,
  rtpLane,
} from '../../media/engine/index.ts';
import type { LaneRef, PeerRate, PeerStats } from './contract.ts';
import type { PeerFormat } from './protocol.ts';

const HERE = '127.0.0.1';

export interface PeerMediaOptions {
  readonly format: PeerFormat;
  readonly port: number;
  readonly source: number;
}

export interface PeerMediaListener {
  audio(pcm: Uint8Array): void;
  key(digit: string): void;
  /** The last event, sent once. `fault` has the engine's error where the close was not requested. */
  closed(fault: string | null): void;
}

export class PeerMedia {
  readonly rate: PeerRate;
  readonly #options: PeerMediaOptions;
  readonly #listener: PeerMediaListener;
  readonly #lane: Lane<RtpEvent>;
  #opened: (port: number) => void = () => undefined;
  #fault: string | null = null;
  #statistics: RtpStatistics | null = null;
  readonly port: Promise<number>;

  /** Throws ApiError `capacity` where the engine is full. */
  constructor(engine: Pick<Engine, 'open'>, options: PeerMediaOptions, listener: PeerMediaListener) {
    this.#options = options;
    this.#listener = listener;
    this.rate = options.format.codec === 'opus' ? 24_000 : 8000;
    this.port = new Promise((resolve) => {
      this.#opened = resolve;
    });
    this.#lane = engine.open(
      rtpLane,
      { rate: this.rate, bind: HERE, ssrc: options.source, quietMs: 0, deadMs: 0 },
      {
        audio: (pcm) => listener.audio(pcm),
        event: (event) => this.#event(event),
        closed: (status) =>
          listener.closed(this.#fault ?? (status === 'ok' || status === 'closed' ? null : status)),
      },
    );
  }

  get open(): boolean {
    return this.#lane.open;
  }

  send(pcm: Uint8Array): void {
    this.#lane.push(pcm);
  }

  clear(): void {
    this.#lane.control(RtpVerb.clear);
  }

  press(digits: string): void {
    this.#lane.control(RtpVerb.keys, Buffer.from(digits));
  }

  join(lane: LaneRef | null): void {
    if (lane === null) this.#lane.part();
    else this.#lane.join(lane);
  }

  /** `closed` follows. */
  close(): void {
    this.#lane.close();
  }

  stats(): PeerStats {
    return statsOf(this.#options.format, this.#statistics);
  }

  #event(event: RtpEvent): void {
    if (event.kind === 'opened') {
      this.#setUp();
      this.#opened(event.port);
    } else if (event.kind === 'key') this.#listener.key(event.digit);
    else if (event.kind === 'statistics') this.#statistics = event.statistics;
    else if (event.kind === 'refused') {
      this.#fault = event.reason;
      this.#lane.close();
    }
  }

  #setUp(): void {
    const { format, port } = this.#options;
    const { codec, payloadType: type, keys, repeats, pauses } = format;
    const setup = packRtpSetup({
      address: HERE,
      port,
      rtcp: 'mux',
      listen: [{ type, codec }],
      speak: { type, codec },
      opus: { repeats, pauses },
      ...(keys === null ? {} : { events: keys }),
      symmetric: false,
    });
    this.#lane.control(RtpVerb.setup, setup);
  }
}

export const NO_STATS: PeerStats = {
  codec: null,
  received: 0,
  lost: 0,
  late: 0,
  recovered: 0,
  concealedMs: 0,
  playedMs: 0,
  waitMs: 0,
  sent: 0,
};

function statsOf({ codec }: PeerFormat, numbers: RtpStatistics | null): PeerStats {
  if (numbers === null) return { ...NO_STATS, codec };
  return {
    codec,
    received: numbers.packetsReceived,
    lost: numbers.packetsLost,
    late: numbers.packetsLate,
    recovered: numbers.packetsRecovered,
    concealedMs: numbers.concealedMs,
    playedMs: numbers.playedMs,
    waitMs: numbers.waitMs,
    sent: numbers.packetsSent,
  };
}
