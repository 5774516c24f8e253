import type { Clock } from '../../foundation/platform/clock.ts';
import { bridgeLegs, ConferenceMediaHandler } from './bridge.ts';
import type { CallMedia } from './call-media.ts';
import type { ConferenceParticipant } from './conference-mixer.ts';
import type { CallEnding } from './contract.ts';
import type { DenoisedAudio } from './denoised-audio.ts';
import type { CallFlow, PhoneCall } from './phone-call.ts';
import { PlaybackMediaHandler } from './playback-media-handler.ts';

type Denoised = 'recording' | 'transfer';
type FramesListener = (frames: Uint8Array, lateMs?: number) => void;

export interface WarmTransferOrder {
  readonly call: PhoneCall;
  readonly media: CallMedia;
  readonly to: string;
  /** The briefing's audio, with the request for the accept key; null connects the human who answers at once. */
  readonly briefing: Uint8Array | null;
  readonly waiting: Uint8Array;
  /** The line is free for another transfer. */
  readonly over: () => void;
  readonly nobody: () => void;
  readonly recorded: boolean;
  /** Returns null where the caller is heard there as the line brings it. */
  readonly denoise: (where: Denoised, listener: FramesListener) => DenoisedAudio | null;
  /**
   * Gives the line to an agent once both talk, and calls `gone` when the agent has ended; null leaves the two alone.
   */
  readonly agentToo: ((gone: () => void) => void) | null;
  /** The human has left an agent who only listened and now speaks again; null where the agent goes on by itself. */
  readonly left?: (() => void) | null;
}

export const ACCEPT_KEY = '1';
export const ALONE_KEY = '*';
const ACCEPT_WITHIN_MS = 20_000;
const CALLER_LEFT: CallEnding = { reason: 'completed', detail: 'the caller hung up' };
const CANCELED_BY_CALLER: CallEnding = { reason: 'canceled', detail: 'the caller hung up' };
/** A carrier that has connected the two ends the human's leg by then; the caller hears silence until it does. */
const CONNECTED_WITHIN_MS = 2_000;

type State =
  | { readonly kind: 'ringing'; readonly person: PhoneCall | null }
  | { readonly kind: 'briefing'; readonly person: PhoneCall; readonly stop: () => void }
  /** `moving` waits for the carrier to connect the two itself. */
  | { readonly kind: 'joined' | 'connecting'; readonly person: PhoneCall }
  /** The human's leg has ended: the carrier has connected the two, or the human has hung up. */
  | { readonly kind: 'left'; readonly person: PhoneCall; readonly stop: () => void }
  | {
      readonly kind: 'conference';
      readonly person: PhoneCall;
      readonly personMedia: CallMedia;
      readonly seat: ConferenceParticipant;
      readonly stopRecording: () => void;
    }
  | { readonly kind: 'over' };

/**
 * A transfer over this server, as the flow of the second call: the human hears the briefing, accepts by key and is
 * connected. A cold transfer has no briefing.
 */
export class WarmTransfer implements CallFlow {
  readonly #clock: Clock;
  readonly #order: WarmTransferOrder;
  readonly #denoised = new Map<Denoised, DenoisedAudio>();
  #state: State = { kind: 'ringing', person: null };

  constructor(clock: Clock, order: WarmTransferOrder) {
    this.#clock = clock;
    this.#order = order;
    order.media.setHandler(new PlaybackMediaHandler({ clock, sound: order.waiting, loop: true }));
  }

  rings(person: PhoneCall): void {
    if (this.#state.kind === 'ringing') this.#state = { kind: 'ringing', person };
    else if (this.#order.call.isOver) person.end(CANCELED_BY_CALLER);
  }

  answered(person: PhoneCall, media: CallMedia): void {
    const { briefing, call } = this.#order;
    if (this.#state.kind === 'over' || call.isOver) {
      person.end(CALLER_LEFT);
      return;
    }
    if (briefing === null) {
      this.#connect(person, media);
      return;
    }
    const declined: CallEnding = { reason: 'completed', detail: 'the transfer was not accepted' };
    const stop = this.#clock.after(ACCEPT_WITHIN_MS + briefing.length / 8, () => person.end(declined));
    this.#state = { kind: 'briefing', person, stop };
    const key = (digit: string) => {
      if (digit === ACCEPT_KEY) this.#join(person, media);
      else person.end(declined);
    };
    media.setHandler(new PlaybackMediaHandler({ clock: this.#clock, sound: briefing, key }));
  }

  ended(): void {
    const state = this.#state;
    this.#closeDenoised();
    if (state.kind === 'over') return;
    this.#state = { kind: 'over' };
    if (state.kind === 'conference') {
      state.seat.leave();
      state.stopRecording();
      this.#order.over();
      if (!this.#order.call.isOver) this.#order.left?.();
      return;
    }
    if (state.kind === 'connecting') {
      this.#left(state.person);
      return;
    }
    if (state.kind === 'joined') {
      this.#order.call.end(this.#handedOn);
      return;
    }
    if (state.kind === 'briefing') state.stop();
    this.#order.over();
    if (!this.#order.call.isOver) this.#order.nobody();
  }

  callerLeft(): void {
    const state = this.#state;
    this.#closeDenoised();
    this.#state = { kind: 'over' };
    if (state.kind === 'briefing' || state.kind === 'left') state.stop();
    if (state.kind === 'conference') state.stopRecording();
    if (state.kind === 'ringing') state.person?.end(CANCELED_BY_CALLER);
    else if (state.kind !== 'over') state.person.end(CALLER_LEFT);
  }

  get #handedOn(): CallEnding {
    return { reason: 'completed', detail: `transferred to ${this.#order.to}` };
  }

  #join(person: PhoneCall, personMedia: CallMedia): void {
    if (this.#state.kind !== 'briefing' || this.#order.call.isOver) return;
    this.#state.stop();
    this.#connect(person, personMedia);
  }

  #connect(person: PhoneCall, personMedia: CallMedia): void {
    if (this.#order.agentToo === null) this.#bridge(person, personMedia);
    else this.#startConference(person, personMedia, this.#order.agentToo);
  }

  #startConference(
    person: PhoneCall,
    personMedia: CallMedia,
    agentToo: NonNullable<WarmTransferOrder['agentToo']>,
  ): void {
    const { call, media } = this.#order;
    media.setHandler(null);
    const seat = media.join(
      { hear: this.#without('transfer', (frames) => personMedia.leg.send(frames)) },
      'all',
    );
    this.#state = {
      kind: 'conference',
      person,
      personMedia,
      seat,
      stopRecording: this.#recordConference(personMedia),
    };
    const key = (digit: string) => {
      if (digit === ALONE_KEY) this.#agentGone();
      else void call.leg?.then((leg) => leg.sendKeys(digit));
    };
    personMedia.setHandler(new ConferenceMediaHandler(seat, key));
    agentToo(() => this.#agentGone());
  }

  #recordConference(personMedia: CallMedia): () => void {
    const { call, media, recorded } = this.#order;
    const { tape } = call;
    if (tape === null || !recorded) return () => undefined;
    tape.three();
    const heard = this.#without('recording', (frames, lateMs) => tape.heard('caller', frames, lateMs));
    const deaf = [
      media.overhear((side, frames) => side === 'caller' && heard(frames)),
      personMedia.overhear((side, frames) => side === 'caller' && tape.heard('other', frames)),
    ];
    return () => {
      for (const end of deaf) end();
      tape.agentAlone();
    };
  }

  #agentGone(): void {
    const state = this.#state;
    if (state.kind === 'over') this.#order.call.end({ reason: 'completed', detail: 'agent_ended' });
    if (state.kind !== 'conference') return;
    state.seat.leave();
    state.stopRecording();
    this.#bridge(state.person, state.personMedia);
  }

  #bridge(person: PhoneCall, personMedia: CallMedia): void {
    this.#state = { kind: 'joined', person };
    const { call, media } = this.#order;
    const across = (to: PhoneCall) => (digit: string) => void to.leg?.then((leg) => leg.sendKeys(digit));
    const { tape } = call;
    const toTape: FramesListener = (frames, lateMs) => tape?.heard('caller', frames, lateMs);
    const heard = this.#order.recorded && tape !== null ? this.#without('recording', toTape) : toTape;
    bridgeLegs({
      one: media,
      other: personMedia,
      keys: { toOne: across(call), toOther: across(person) },
      said: (by, frames) => (by === 'one' ? heard(frames) : tape?.heard('other', frames)),
      toOther: this.#without('transfer', (frames) => personMedia.leg.send(frames)),
    });
    if (this.#order.recorded) tape?.people();
    // The carrier would bring the person the line's noise.
    if (!this.#denoised.has('transfer')) void this.#move(person);
  }

  /** A conference that goes on as a bridge goes on with the same lane. */
  #without(where: Denoised, listener: FramesListener): FramesListener {
    const denoised = this.#denoised.get(where) ?? this.#order.denoise(where, listener);
    if (denoised === null) return listener;
    this.#denoised.set(where, denoised);
    return (frames) => denoised.hear(frames);
  }

  #closeDenoised(): void {
    for (const denoised of this.#denoised.values()) denoised.close();
    this.#denoised.clear();
  }

  /**
   * Asks a carrier that can connect the two to do so; both calls then end here. Otherwise this server keeps bridging
   * them.
   */
  async #move(person: PhoneCall): Promise<void> {
    const { call } = this.#order;
    const [caller, other] = await Promise.all([call.leg, person.leg]);
    if (caller?.connect === undefined || other === null || this.#state.kind !== 'joined') return;
    this.#state = { kind: 'connecting', person };
    try {
      await caller.connect(other);
      this.#over();
      call.endsAs(this.#handedOn);
      person.end({ reason: 'completed', detail: 'connected with the caller' });
    } catch {
      this.#stay(person);
    }
  }

  #stay(person: PhoneCall): void {
    if (this.#state.kind === 'connecting') this.#state = { kind: 'joined', person };
    else if (this.#state.kind === 'left') this.#letGo();
  }

  #left(person: PhoneCall): void {
    const stop = this.#clock.after(CONNECTED_WITHIN_MS, () => this.#letGo());
    this.#state = { kind: 'left', person, stop };
    this.#order.call.endsAs(this.#handedOn);
  }

  #letGo(): void {
    this.#over();
    this.#order.call.end(this.#handedOn);
  }

  #over(): void {
    this.#closeDenoised();
    if (this.#state.kind === 'left') this.#state.stop();
    this.#state = { kind: 'over' };
  }
}
