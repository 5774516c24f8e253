import type { Clock } from '../../../foundation/platform/clock.ts';
import { type ErrorCode, isRefusal } from '../../../foundation/platform/errors.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import { TokenBucket } from '../../../foundation/platform/token-bucket.ts';
import { HEAR_COMMIT, type HearEvent, type Lane, type StatusName } from '../../../media/engine/index.ts';
import { hear } from '../../../media/wire/index.ts';
import type { Socket, SocketHandler } from '../../server/surface.ts';
import { LaneFeed } from './lane-feed.ts';
import { StreamEventWriter } from './stream-event-writer.ts';
import type { StreamMeter } from './stream-meter.ts';
import { StreamTimers } from './stream-timers.ts';

const RECHECK_MS = 10_000;
/** The bound limits the load of rechecks on the database when little credit is left. */
const MIN_RECHECK_MS = 200;
/**
 * Every frame costs CPU time of other streams, whatever its length, so frames are limited by number. A recording may
 * be sent faster than real time, even in frames of 10 ms; carriers send theirs as text.
 */
const FRAMES = { capacity: 8_000, refillPerSecond: 4_000 };
const TEXT_FRAMES = { capacity: 1_000, refillPerSecond: 500 };

const CLOSE = {
  normal: 1000,
  draining: 1001,
  violation: 1008,
  tooBig: 1009,
  fault: 1011,
  forbidden: 4403,
  limit: 4429,
} as const;

export interface HearStreamSessionDeps {
  readonly clock: Clock;
  readonly log: Log;
}

export class HearStreamSession implements SocketHandler {
  readonly #deps: HearStreamSessionDeps;
  readonly #socket: Socket;
  readonly #meter: StreamMeter;
  readonly #lane: Lane<HearEvent>;
  readonly #feed: LaneFeed;
  readonly #voice: StreamEventWriter;
  readonly #timers: StreamTimers;
  readonly #allowed: { readonly binary: TokenBucket; readonly text: TokenBucket };
  #ending: { code: number; reason: string } | null = null;
  #over = false;
  /** Usage is recorded and reported in the order of the finals. */
  #accounting: Promise<void> = Promise.resolve();

  constructor(deps: HearStreamSessionDeps, socket: Socket, lane: Lane<HearEvent>, meter: StreamMeter) {
    this.#deps = deps;
    this.#socket = socket;
    this.#meter = meter;
    this.#lane = lane;
    this.#voice = new StreamEventWriter(socket, meter);
    this.#timers = new StreamTimers(deps.clock, (reason) => this.#end(CLOSE.normal, reason));
    const { clock } = deps;
    this.#allowed = { binary: new TokenBucket(clock, FRAMES), text: new TokenBucket(clock, TEXT_FRAMES) };
    this.#feed = new LaneFeed(lane, deps.clock, () =>
      this.#fail(
        'payload_too_large',
        'Audio arrives much faster than real time; send it at the rate at which it is spoken, or use a transcription job for recordings.',
        null,
        CLOSE.violation,
      ),
    );
    this.#timers.onFrame();
    this.#timers.onAudio();
    this.#recheckIn(RECHECK_MS);
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.#ending || this.#over) return;
    if (!this.#allowed[isBinary ? 'binary' : 'text'].take()) {
      this.#fail(
        'rate_limit_exceeded',
        'The client sends too many frames per second; put more audio into each frame.',
        null,
        CLOSE.violation,
      );
      return;
    }
    try {
      this.#take(hear.readClientFrame(data, isBinary));
    } catch (error) {
      if (!(error instanceof hear.HearFrameError)) throw error;
      if (error.fatal) this.#fail(error.code, error.message, error.param, CLOSE.violation);
      else this.#voice.error(error.code, error.message, error.param);
    }
  }

  onOversizedFrame(limit: number): void {
    const message = `A frame can have at most ${limit} bytes.`;
    this.#fail('payload_too_large', message, null, CLOSE.tooBig);
  }

  /** The stream continues until shortly before the deadline, so that its last words are still transcribed. */
  onServerDraining(msLeft: number): void {
    this.#timers.onServerDraining(msLeft, () => this.#end(CLOSE.draining, 'the server drains'));
  }

  onClosed(): void {
    this.#over = true;
    this.#timers.stop();
    this.#feed.stop();
    this.#lane.drop();
    this.#account();
    this.#meter.release(this.#accounting);
  }

  heard(event: HearEvent): void {
    if (this.#over) return;
    if (event.type === 'failed') {
      this.#meter.onRecognitionFailed();
      this.#voice.error('internal_error', 'An utterance could not be recognized.', null);
      return;
    }
    if (this.#voice.utterance(event)) this.#account();
  }

  laneClosed(status: StatusName): void {
    if (this.#over) return;
    if (status !== 'ok' && !this.#ending) {
      this.#voice.error('internal_error', 'The engine closed the lane of this stream.', null);
      this.#ending = { code: CLOSE.fault, reason: 'engine fault' };
    }
    const { code, reason } = this.#ending ?? { code: CLOSE.normal, reason: '' };
    this.#accounting = this.#accounting.then(() => {
      if (this.#over) return;
      this.#voice.usage();
      this.#socket.close(code, reason);
    });
  }

  #take(frame: hear.ClientFrame): void {
    switch (frame.kind) {
      case 'audio':
        this.#timers.onFrame();
        if (frame.pcm.length > 0) this.#timers.onAudio();
        this.#meter.audio(frame.pcm.length);
        this.#feed.audio(frame.pcm);
        if (this.#meter.isOverdrawn) this.#recheck();
        return;
      case 'commit':
        this.#feed.control(HEAR_COMMIT);
        return;
      case 'keepalive':
        this.#timers.onFrame();
        return;
      case 'close':
        this.#end(CLOSE.normal, 'closed by the client');
        return;
      case 'end':
    }
  }

  #end(code: number, reason: string): void {
    if (this.#ending || this.#over) return;
    this.#ending = { code, reason };
    this.#timers.stop();
    this.#feed.close();
  }

  #fail(code: ErrorCode, message: string, param: string | null, closeCode: number): void {
    if (this.#ending || this.#over) return;
    this.#voice.error(code, message, param);
    this.#end(closeCode, code);
  }

  #recheckIn(milliseconds: number): void {
    if (!this.#ending && !this.#over) this.#timers.recheckIn(milliseconds, () => this.#recheck());
  }

  #recheck(): void {
    this.#timers.stopRecheck();
    this.#account(false);
    this.#accounting
      .then(() => this.#meter.recheck())
      .then(
        (promised) => this.#recheckIn(Math.min(RECHECK_MS, Math.max(MIN_RECHECK_MS, promised))),
        (error: unknown) => this.#refused(error),
      );
  }

  #refused(error: unknown): void {
    if (isRefusal(error)) {
      const code = error.status === 403 ? CLOSE.forbidden : CLOSE.limit;
      this.#fail(error.code, error.message, error.param, code);
    } else {
      this.#deps.log.error({ err: error }, 'the limits of a stream could not be read; the stream continues');
      this.#recheckIn(RECHECK_MS);
    }
  }

  #account(reported = true): void {
    this.#accounting = this.#accounting.then(async () => {
      try {
        await this.#meter.record();
      } catch (error) {
        this.#deps.log.error({ err: error }, 'the usage of a stream was not recorded');
      }
      if (reported && !this.#over) this.#voice.usage();
    });
  }
}
