import type { Clock } from '../../../foundation/platform/clock.ts';
import type { MediaLeg } from '../contract.ts';
import { type PendingStreams, ReconnectingStreamLeg, TOKEN_PARAMETER } from '../streams/index.ts';

export interface CallStreamsOptions {
  readonly clock: Clock;
  readonly dock: PendingStreams;
  readonly began: (leg: MediaLeg) => void;
  readonly key: (digit: string) => void;
  readonly over: () => void;
}

const NEXT_STREAM_MS = 10_000;

/** The consecutive media streams of one call: the carrier ends one to play keys. */
export class CallStreams {
  readonly #options: CallStreamsOptions;
  #leg: ReconnectingStreamLeg | null = null;
  #token: string | null = null;
  #stopWaiting: () => void = () => undefined;

  constructor(options: CallStreamsOptions) {
    this.#options = options;
  }

  get leg(): MediaLeg | null {
    return this.#leg;
  }

  expect(): Record<string, string> {
    const { dock, clock, began, key, over } = this.#options;
    this.close();
    const token = dock.expect({
      started: (stream) => {
        this.#stopWaiting();
        if (this.#leg !== null) this.#leg.follow(stream);
        else {
          this.#leg = new ReconnectingStreamLeg(stream);
          began(this.#leg);
        }
      },
      key,
      over: () => {
        this.#stopWaiting();
        this.#stopWaiting = clock.after(NEXT_STREAM_MS, over);
      },
    });
    this.#token = token;
    return { [TOKEN_PARAMETER]: token };
  }

  close(): void {
    this.#stopWaiting();
    if (this.#token !== null) this.#options.dock.forget(this.#token);
    this.#token = null;
  }
}
