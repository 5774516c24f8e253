import type { Clock } from '../../../foundation/platform/clock.ts';
import { randomBase62 } from '../../../foundation/platform/ids.ts';
import { CarrierStream } from './carrier-stream.ts';
import type { OpenEchoMeter } from './echo-meter.ts';
import type { StreamLeg, TextSocket } from './stream-leg.ts';

export interface PendingStreamListener {
  started(leg: StreamLeg): void;
  key(digit: string): void;
  over(): void;
}

export const TOKEN_PARAMETER = 'leg';
const TOKEN_LENGTH = 32;

export class PendingStreams {
  readonly #clock: Clock;
  readonly #openEchoMeter: OpenEchoMeter | null;
  readonly #expected = new Map<string, PendingStreamListener>();

  constructor(clock: Clock, openEchoMeter: OpenEchoMeter | null = null) {
    this.#clock = clock;
    this.#openEchoMeter = openEchoMeter;
  }

  expect(listener: PendingStreamListener): string {
    const token = randomBase62(TOKEN_LENGTH);
    this.#expected.set(token, listener);
    return token;
  }

  forget(token: string): void {
    this.#expected.delete(token);
  }

  /** Takes a carrier's socket, and closes it with 1008 where its token is unknown. */
  open(wire: TextSocket): CarrierStream {
    let call: PendingStreamListener | null = null;
    return new CarrierStream(wire, this.#clock, {
      started: ({ parameters }, leg) => {
        const token = parameters[TOKEN_PARAMETER] ?? '';
        call = this.#expected.get(token) ?? null;
        this.#expected.delete(token);
        if (call === null) {
          wire.close(1008, 'no call is waiting for this stream');
          return;
        }
        wire.verified?.();
        const echoMeter = this.#openEchoMeter?.() ?? null;
        if (echoMeter !== null) leg.watchWith(echoMeter);
        call.started(leg);
      },
      key: (digit) => call?.key(digit),
      over: () => call?.over(),
    });
  }
}
