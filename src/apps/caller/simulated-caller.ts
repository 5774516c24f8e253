import { EventEmitter, once } from 'node:events';
import type {
  CallTransport,
  CallTransportListener,
  ControlEvent,
  TranscriptPiece,
} from './call-transport.ts';
import { FRAME_SAMPLES } from './line-audio.ts';
import { type EchoPath, Microphone, type UplinkQuality } from './microphone.ts';
import { PlayoutBuffer } from './playout-buffer.ts';
import { OmniTransport } from './transports/omni.ts';

type HeardTranscript = TranscriptPiece & { readonly at: number };

/**
 * Simulates a caller with one clock for both sides: it speaks in real time, plays the agent's audio through a playout
 * buffer and records control messages.
 */
export class SimulatedCaller extends EventEmitter {
  /** The buffer adds no delay: audio counts as played on arrival. The caller reacts to this one. */
  readonly playout = new PlayoutBuffer();
  readonly buffered = [60, 120].map((delayMs) => new PlayoutBuffer(delayMs));
  readonly controls: { at: number; message: ControlEvent }[] = [];
  readonly transcripts: HeardTranscript[] = [];
  readonly #playouts = [this.playout, ...this.buffered];
  readonly #wire: CallTransport;
  readonly #mouth: Microphone;
  #timer: NodeJS.Timeout | undefined;
  #began = 0;
  #over = false;

  private constructor(wire: CallTransport, quality: UplinkQuality) {
    super();
    this.#wire = wire;
    this.#mouth = new Microphone(wire, quality, this.playout);
  }

  static connect(
    url: string,
    key: string,
    configure: Record<string, unknown>,
    quality: UplinkQuality = {},
  ): Promise<SimulatedCaller> {
    return SimulatedCaller.over(new OmniTransport({ url, key, configure }), quality);
  }

  static async over(wire: CallTransport, quality: UplinkQuality = {}): Promise<SimulatedCaller> {
    const caller = new SimulatedCaller(wire, quality);
    const listener: CallTransportListener = {
      onAudio: (samples) => {
        const now = performance.now();
        for (const playout of caller.#playouts) playout.take(samples, now);
      },
      onTranscript: (words) => {
        caller.transcripts.push({ at: performance.now(), ...words });
        caller.emit('said', words);
      },
      onControl: (message) => {
        caller.controls.push({ at: performance.now(), message });
        caller.emit('control', message);
      },
      onFlush: () => {
        for (const playout of caller.#playouts) playout.flush(performance.now());
      },
      onSpeechEnd: () => {
        for (const playout of caller.#playouts) playout.speechEnds();
      },
      onClose: () => {
        caller.#over = true;
        clearInterval(caller.#timer);
        caller.#mouth.mute(new Error('the call has ended'));
        caller.emit('over');
      },
    };
    try {
      await wire.open(listener);
    } catch (error) {
      // The other side may never respond, so the close is not awaited.
      wire.close().catch(() => undefined);
      throw error;
    }
    caller.#began = performance.now();
    if (!caller.#over) caller.#timer = setInterval(() => caller.#tick(), 4);
    return caller;
  }

  get began(): number {
    return this.#began;
  }

  get over(): boolean {
    return this.#over;
  }

  set echo(echo: EchoPath | null) {
    this.#mouth.echo = echo;
  }

  control(message: Record<string, unknown>): void {
    this.#wire.control(message);
  }

  press(digits: string): void {
    this.#wire.press(digits);
  }

  /**
   * Queues audio behind the current one. Resolves with the time of its first sample once all is spoken. Rejects where
   * the call ends before.
   */
  say(samples: Int16Array): Promise<number> {
    const said = this.#mouth.say(samples);
    if (this.#over) this.#mouth.mute(new Error('the call has ended'));
    return said;
  }

  async next(
    test: (message: ControlEvent) => boolean,
    from: number,
    until: number,
  ): Promise<ControlEvent | null> {
    for (;;) {
      const known = this.controls.find(({ at, message }) => at >= from && test(message));
      if (known !== undefined) return known.message;
      const left = until - performance.now();
      if (left <= 0) return null;
      await once(this, 'control', { signal: AbortSignal.timeout(Math.ceil(left)) }).catch(() => undefined);
    }
  }

  async until(test: (message: ControlEvent) => boolean, ms = 30_000): Promise<ControlEvent> {
    const found = await this.next(test, 0, performance.now() + ms);
    if (found === null)
      throw new Error(`waited for an event that did not come: ${JSON.stringify(this.controls)}`);
    return found;
  }

  async hangUp(): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#over) await this.#wire.close();
  }

  stereo(): { readonly caller: Int16Array; readonly agent: Int16Array } {
    const { spoken } = this.#mouth;
    const caller = new Int16Array(spoken.length * FRAME_SAMPLES);
    for (const [at, frame] of spoken.entries()) caller.set(frame, at * FRAME_SAMPLES);
    return { caller, agent: this.playout.sounded(this.#began, caller.length) };
  }

  #tick(): void {
    const now = performance.now();
    for (const playout of this.#playouts) playout.advance(now);
    this.#mouth.send(this.#began, now);
  }
}
