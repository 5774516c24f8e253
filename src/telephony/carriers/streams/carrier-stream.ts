import type { Clock } from '../../../foundation/platform/clock.ts';
import type { MediaLeg } from '../contract.ts';
import { type StreamDialect, type StreamMessage, twilioDialect } from './stream-dialect.ts';
import { StreamLeg, type TextSocket } from './stream-leg.ts';

export interface StreamStart {
  readonly streamSid: string;
  readonly callSid: string | null;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface StreamListener<Leg extends MediaLeg = MediaLeg> {
  started(start: StreamStart, leg: Leg): void;
  key(digit: string): void;
  /** The last event, sent once, also where the stream had not started. */
  over(): void;
}

/** A real carrier sends `start` at once. */
export const START_WITHIN_MS = 10_000;

type State =
  | { readonly kind: 'waiting'; readonly stopWaiting: () => void }
  | { readonly kind: 'live'; readonly leg: StreamLeg }
  | { readonly kind: 'over' };

export class CarrierStream {
  readonly #wire: TextSocket;
  readonly #clock: Clock;
  readonly #listener: StreamListener<StreamLeg>;
  readonly #dialect: StreamDialect;
  #state: State;

  constructor(
    wire: TextSocket,
    clock: Clock,
    listener: StreamListener<StreamLeg>,
    dialect: StreamDialect = twilioDialect(),
  ) {
    this.#wire = wire;
    this.#dialect = dialect;
    this.#clock = clock;
    this.#listener = listener;
    const stopWaiting = clock.after(START_WITHIN_MS, () =>
      this.#fail('no start message was received within 10 s'),
    );
    this.#state = { kind: 'waiting', stopWaiting };
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.#state.kind === 'over') return;
    const message = this.#dialect.read(data, isBinary);
    if (message === null)
      this.#fail('the message is not a media stream message: expected JSON with an event');
    else if (this.#state.kind === 'live') this.#take(message, this.#state.leg);
    else if (message.event === 'start') this.#start(message);
    else if (message.event === 'unusable') this.#fail(message.reason);
    else if (message.event === 'stop') this.end();
  }

  onClosed(): void {
    this.end();
  }

  /** No event follows `over`. */
  end(): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    this.#state = { kind: 'over' };
    if (state.kind === 'waiting') state.stopWaiting();
    else state.leg.end();
    this.#listener.over();
  }

  #take(message: StreamMessage, leg: StreamLeg): void {
    if (message.event === 'media') leg.take(message.chunk, message.frame);
    else if (message.event === 'dtmf') {
      if (/^[0-9A-D*#]$/.test(message.digit)) this.#listener.key(message.digit);
    } else if (message.event === 'mark') leg.marked(message.name);
    else if (message.event === 'stop') this.end();
  }

  #start({ streamSid, callSid, parameters }: StreamMessage & { event: 'start' }): void {
    if (this.#state.kind === 'waiting') this.#state.stopWaiting();
    const leg = new StreamLeg(this.#wire, streamSid, this.#clock, this.#dialect);
    this.#state = { kind: 'live', leg };
    this.#listener.started({ streamSid, callSid, parameters }, leg);
  }

  #fail(reason: string): void {
    this.#wire.close(1008, reason);
    this.end();
  }
}
