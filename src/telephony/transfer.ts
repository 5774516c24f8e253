import type { Clock } from '../platform/clock.ts';
import { bridge } from './bridge.ts';
import type { Ending } from './contract.ts';
import type { Line } from './line.ts';
import type { PhoneCall, Plan } from './phone-call.ts';
import { SoundPart } from './sound-part.ts';

export interface WarmOrder {
  /** The call that is handed on. */
  readonly call: PhoneCall;
  readonly line: Line;
  readonly to: string;
  /** What the person is told, as sound; the key is asked for in it. */
  readonly briefing: Uint8Array;
  /** What the caller hears meanwhile, again and again. */
  readonly waiting: Uint8Array;
  /** Nobody took the call: its agent is to come back. */
  readonly nobody: () => void;
}

export const ACCEPT_KEY = '1';
const ACCEPT_WITHIN_MS = 20_000;

type State =
  | { readonly kind: 'ringing' }
  | { readonly kind: 'briefing'; readonly person: PhoneCall; readonly stop: () => void }
  | { readonly kind: 'joined'; readonly person: PhoneCall }
  | { readonly kind: 'over' };

/** A warm transfer, as the plan of the second call: its person hears what it is about, accepts by key, and is connected. */
export class WarmTransfer implements Plan {
  readonly #clock: Clock;
  readonly #order: WarmOrder;
  #state: State = { kind: 'ringing' };

  constructor(clock: Clock, order: WarmOrder) {
    this.#clock = clock;
    this.#order = order;
    order.line.give(new SoundPart({ clock, sound: order.waiting, loop: true }));
  }

  answered(person: PhoneCall, line: Line): void {
    const { briefing } = this.#order;
    const declined: Ending = { reason: 'completed', detail: 'the transfer was not accepted' };
    const stop = this.#clock.after(ACCEPT_WITHIN_MS + briefing.length / 8, () => person.end(declined));
    this.#state = { kind: 'briefing', person, stop };
    const key = (digit: string) => {
      if (digit === ACCEPT_KEY) this.#join(person, line);
      else person.end(declined);
    };
    line.give(new SoundPart({ clock: this.#clock, sound: briefing, key }));
  }

  ended(): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    this.#state = { kind: 'over' };
    if (state.kind === 'joined') {
      this.#order.call.end({ reason: 'completed', detail: `transferred to ${this.#order.to}` });
      return;
    }
    if (state.kind === 'briefing') state.stop();
    if (!this.#order.call.isOver) this.#order.nobody();
  }

  /** The caller has hung up. */
  callerLeft(): void {
    const state = this.#state;
    this.#state = { kind: 'over' };
    if (state.kind === 'briefing') state.stop();
    if (state.kind === 'briefing' || state.kind === 'joined')
      state.person.end({ reason: 'completed', detail: 'the caller hung up' });
  }

  #join(person: PhoneCall, personLine: Line): void {
    if (this.#state.kind !== 'briefing' || this.#order.call.isOver) return;
    this.#state.stop();
    this.#state = { kind: 'joined', person };
    const { call, line } = this.#order;
    const across = (to: PhoneCall) => (digit: string) => void to.leg?.then((leg) => leg.sendKeys(digit));
    bridge(line, personLine, { toOne: across(call), toOther: across(person) });
  }
}
