import type { Clock } from '../../../foundation/platform/clock.ts';
import { carrier } from '../../../media/wire/index.ts';
import type { MediaLeg } from '../contract.ts';
import { StreamLeg, type TextSocket } from './stream-leg.ts';

export interface StreamStart {
  readonly streamSid: string;
  readonly callSid: string | null;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface StreamListener<Leg extends MediaLeg = MediaLeg> {
  /** The call's sound is there. */
  started(start: StreamStart, leg: Leg): void;
  key(digit: string): void;
  /** Once, last, also where nothing had started. */
  over(): void;
}

/** `start` comes at once where a carrier means it. */
export const START_WITHIN_MS = 10_000;

type State =
  | { readonly kind: 'waiting'; readonly stopWaiting: () => void }
  | { readonly kind: 'live'; readonly leg: StreamLeg }
  | { readonly kind: 'over' };

/** One socket that speaks the carriers' media-stream protocol to this server. */
export class CarrierStream {
  readonly #wire: TextSocket;
  readonly #clock: Clock;
  readonly #listener: StreamListener<StreamLeg>;
  #state: State;

  constructor(wire: TextSocket, clock: Clock, listener: StreamListener<StreamLeg>) {
    this.#wire = wire;
    this.#clock = clock;
    this.#listener = listener;
    const stopWaiting = clock.after(START_WITHIN_MS, () =>
      this.#fail('no start message was received within 10 s'),
    );
    this.#state = { kind: 'waiting', stopWaiting };
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.#state.kind === 'over') return;
    const message = isBinary ? null : carrier.readCarrierMessage(data);
    if (message === null)
      this.#fail('the message is not a media stream message: expected JSON with an event');
    else if (this.#state.kind === 'live') this.#take(message, this.#state.leg);
    else if (message.event === 'start') this.#start(message);
    else if (message.event === 'stop') this.end();
  }

  onClosed(): void {
    this.end();
  }

  /** Nothing more is told after `over`. */
  end(): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    this.#state = { kind: 'over' };
    if (state.kind === 'waiting') state.stopWaiting();
    else state.leg.end();
    this.#listener.over();
  }

  #take(message: carrier.CarrierMessage, leg: StreamLeg): void {
    if (message.event === 'media') {
      if (message.track === 'inbound') leg.take(message.chunk, message.payload);
    } else if (message.event === 'dtmf') {
      if (/^[0-9A-D*#]$/.test(message.digit)) this.#listener.key(message.digit);
    } else if (message.event === 'mark') leg.marked(message.name);
    else if (message.event === 'stop') this.end();
  }

  #start({ streamSid, start }: carrier.CarrierMessage & { event: 'start' }): void {
    const { encoding = 'audio/x-mulaw', sampleRate = 8000 } = start.mediaFormat ?? {};
    if (encoding !== 'audio/x-mulaw' || Number(sampleRate) !== 8000) {
      this.#fail('start.mediaFormat must be audio/x-mulaw at 8000 Hz');
      return;
    }
    if (this.#state.kind === 'waiting') this.#state.stopWaiting();
    const sid = streamSid ?? '';
    const leg = new StreamLeg(this.#wire, sid, this.#clock);
    this.#state = { kind: 'live', leg };
    const parameters = start.customParameters ?? {};
    this.#listener.started({ streamSid: sid, callSid: start.callSid ?? null, parameters }, leg);
  }

  #fail(reason: string): void {
    this.#wire.close(1008, reason);
    this.end();
  }
}
