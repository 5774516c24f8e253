import {
  type Engine,
  type Lane,
  packRtpSetup,
  type RtpEvent,
  type RtpLaneOptions,
  type RtpSetup,
  type RtpStatistics,
  RtpVerb,
  rtpLane,
} from '../../../media/engine/index.ts';
import type { LineEcho, MediaFormat, MediaLeg, MediaSink, MediaStats } from '../contract.ts';

export interface RtpLegListener {
  key(digit: string): void;
  /** `dead` means that no packet of the other side has arrived for a long time. */
  silence(state: 'heard' | 'quiet' | 'dead'): void;
  failed(reason: string): void;
}

const echoOf = (numbers: RtpStatistics | null): LineEcho | null =>
  numbers === null || numbers.echoDelayMs < 0 ? null : { delayMs: numbers.echoDelayMs, db: numbers.echoDb };

/** Audio from before the sink: two seconds, in pieces of 10 ms. */
const MOST_WAITING = 200;

/** The audio of one call over RTP. The engine has packets, jitter buffer and codecs; this side gets u-law. */
export class RtpLeg implements MediaLeg {
  readonly format: MediaFormat = { codec: 'ulaw', rate: 8000 };
  readonly #listener: RtpLegListener;
  readonly #waiting: Uint8Array[] = [];
  readonly #marks = new Map<number, string>();
  #lane: Lane<RtpEvent> | null = null;
  #port = 0;
  #opened: (port: number) => void = () => undefined;
  #sink: MediaSink | null = null;
  #statistics: RtpStatistics | null = null;
  #nextMark = 1;

  private constructor(listener: RtpLegListener) {
    this.#listener = listener;
  }

  /** Rejects with ApiError `capacity` where the engine or the port range is full. */
  static async open(
    engine: Pick<Engine, 'open'>,
    options: Pick<RtpLaneOptions, 'bind' | 'ports' | 'quietMs' | 'deadMs'>,
    listener: RtpLegListener,
  ): Promise<RtpLeg> {
    const leg = new RtpLeg(listener);
    const opened = new Promise<number>((resolve) => {
      leg.#opened = resolve;
    });
    leg.#lane = engine.open(
      rtpLane,
      { ...options, rate: 8000, codec: 'ulaw' },
      {
        audio: (bytes) => leg.#heard(bytes),
        event: (event) => leg.#event(event),
        closed: (status) => leg.#closed(status),
      },
    );
    leg.#port = await opened;
    return leg;
  }

  get port(): number {
    return this.#port;
  }

  setUp(setup: RtpSetup): void {
    this.#lane?.control(RtpVerb.setup, packRtpSetup(setup));
  }

  press(digits: string): void {
    this.#lane?.control(RtpVerb.keys, Buffer.from(digits));
  }

  bind(sink: MediaSink): void {
    this.#sink = sink;
    for (const piece of this.#waiting.splice(0)) sink.audio(piece);
  }

  send(frames: Uint8Array): void {
    this.#lane?.push(frames);
  }

  /** The engine drops the marks with their audio, so that they come back from here. */
  clear(): void {
    this.#lane?.control(RtpVerb.clear);
    const waiting = [...this.#marks.values()];
    this.#marks.clear();
    for (const name of waiting) this.#sink?.marked?.(name);
  }

  mark(name: string): void {
    const number = this.#nextMark++;
    this.#marks.set(number, name);
    const body = new Uint8Array(4);
    new DataView(body.buffer).setUint32(0, number, true);
    this.#lane?.control(RtpVerb.mark, body);
  }

  join(lane: { readonly slot: number; readonly generation: number } | null): void {
    if (lane === null) this.#lane?.part();
    else this.#lane?.join(lane);
  }

  stats(): MediaStats {
    const numbers = this.#statistics;
    const known = (value: number | undefined): number | null =>
      value === undefined || value < 0 ? null : value;
    return {
      received: {
        frames: numbers?.packetsReceived ?? 0,
        lost: known(numbers?.packetsLost),
        late: known(numbers?.packetsLate),
        concealed: numbers === null ? null : Math.round(numbers.concealedMs / 20),
        jitterMs: known(numbers?.jitterMs),
        clipped: known(numbers?.clippedIn),
      },
      sent: {
        frames: numbers?.packetsSent ?? 0,
        lost: numbers !== null && numbers.mosSent >= 0 ? numbers.remoteLost : null,
        late: null,
        concealed: null,
        jitterMs: known(numbers?.remoteJitterMs),
        clipped: known(numbers?.clippedOut),
      },
      mos: known(numbers?.mosReceived),
      echo: echoOf(numbers),
    };
  }

  /** The engine sends a last RTCP report. */
  close(): void {
    this.#lane?.close();
  }

  #heard(bytes: Uint8Array): void {
    if (this.#sink !== null) this.#sink.audio(bytes);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(bytes.slice());
  }

  #event(event: RtpEvent): void {
    switch (event.kind) {
      case 'opened':
        this.#opened(event.port);
        return;
      case 'refused':
        this.#listener.failed(event.reason);
        return;
      case 'key':
        this.#listener.key(event.digit);
        return;
      case 'silence':
        this.#listener.silence(event.state);
        return;
      case 'statistics':
        this.#statistics = event.statistics;
        return;
      case 'marked': {
        const name = this.#marks.get(event.number);
        this.#marks.delete(event.number);
        if (name !== undefined) this.#sink?.marked?.(name);
        return;
      }
      case 'ready':
      case 'source':
        return;
    }
  }

  #closed(status: string): void {
    this.#lane = null;
    if (status !== 'ok') this.#listener.failed(`the engine has ended its lane: ${status}`);
  }
}
