import type { Clock } from '../../../foundation/platform/clock.ts';
import { AsteriskLeg, type BinarySocket } from './asterisk-leg.ts';
import { type AsteriskEvent, readAsteriskEvent } from './asterisk-messages.ts';
import { START_WITHIN_MS, type StreamListener } from './carrier-stream.ts';

type State =
  | { readonly kind: 'waiting'; readonly stopWaiting: () => void }
  | { readonly kind: 'live'; readonly leg: AsteriskLeg }
  | { readonly kind: 'over' };

export class AsteriskStream {
  readonly #wire: BinarySocket;
  readonly #clock: Clock;
  readonly #listener: StreamListener;
  #state: State;

  constructor(wire: BinarySocket, clock: Clock, listener: StreamListener) {
    this.#wire = wire;
    this.#clock = clock;
    this.#listener = listener;
    const late = () => this.#fail('no MEDIA_START was received within 10 s');
    this.#state = { kind: 'waiting', stopWaiting: clock.after(START_WITHIN_MS, late) };
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    if (isBinary) {
      // Audio may arrive before its format is known; it is dropped then.
      if (state.kind === 'live') state.leg.take(data);
      return;
    }
    const event = readAsteriskEvent(data);
    if (event === null) this.#fail('the message is not one of Asterisk chan_websocket');
    else if (state.kind === 'live') this.#take(event, state.leg);
    else if (event.kind === 'start') this.#start(event, state.stopWaiting);
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

  #take(event: AsteriskEvent, leg: AsteriskLeg): void {
    if (event.kind === 'key' && /^[0-9A-D*#]$/.test(event.digit)) this.#listener.key(event.digit);
    else if (event.kind === 'mark') leg.marked(event.id);
  }

  #start({ channel, format, json }: AsteriskEvent & { kind: 'start' }, stopWaiting: () => void): void {
    if (format !== 'ulaw') {
      this.#fail(`the format must be ulaw: dial WebSocket/…/c(ulaw), not ${format.slice(0, 32)}`);
      return;
    }
    stopWaiting();
    const leg = new AsteriskLeg(this.#wire, json, this.#clock);
    this.#state = { kind: 'live', leg };
    // Asterisk leaves the channel unanswered where the dial string has `n`.
    leg.notify('ANSWER');
    this.#listener.started({ streamSid: channel, callSid: channel || null, parameters: {} }, leg);
  }

  #fail(reason: string): void {
    this.#wire.close(1008, reason);
    this.end();
  }
}
