import type { Clock } from '../../foundation/platform/clock.ts';
import type { DirectionStats, MediaLeg } from '../carriers/index.ts';
import {
  type AudibleTo,
  type ConferenceListener,
  ConferenceMixer,
  type ConferenceParticipant,
} from './conference-mixer.ts';
import { ConferenceableLeg } from './conferenceable-leg.ts';
import type { CallQuality, ReceivedAudioQuality } from './contract.ts';
import type { Side } from './loudness.ts';

/** Handles the audio of an answered line. A line has one handler at a time. */
export interface MediaHandler {
  enter(leg: MediaLeg): void;
  audio(frames: Uint8Array): void;
  marked?(name: string): void;
  key(digit: string): void;
  /** Injects context into the agent's next turn. Returns false while the agent is not talking yet. */
  whisper?(text: string): boolean;
  leave(): void;
}

const ONE_WAY_AFTER_MS = 5_000;

interface MixedCall {
  readonly company: ConferenceMixer;
  readonly caller: ConferenceParticipant;
  readonly part: ConferenceParticipant;
  guests: number;
}

export type CallSideListener = (side: Side, frames: Uint8Array) => void;

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts;

const shownWay = ({
  frames,
  lost,
  late,
  concealed,
  jitterMs,
  clipped,
}: DirectionStats): ReceivedAudioQuality => ({
  frames,
  lost,
  late,
  concealed,
  jitter_ms: jitterMs,
  clipped: clipped === null ? null : rounded(clipped, 1e6),
});

export class CallMedia {
  readonly leg: ConferenceableLeg;
  readonly #clock: Clock;
  readonly #answeredAt: number;
  #part: MediaHandler | null = null;
  #table: MixedCall | null = null;
  #frames = 0;
  #progressAt: number;
  #held = false;
  readonly #sideListeners = new Set<CallSideListener>();

  constructor(leg: MediaLeg, clock: Clock) {
    this.leg = new ConferenceableLeg(leg);
    this.#clock = clock;
    this.#answeredAt = clock.monotonic();
    this.#progressAt = this.#answeredAt;
    leg.bind({
      audio: (frames) => this.#heard(frames),
      marked: (name) => this.#part?.marked?.(name),
    });
  }

  get handler(): MediaHandler | null {
    return this.#part;
  }

  setHandler(part: MediaHandler | null): void {
    const before = this.#part;
    this.#part = part;
    before?.leave();
    this.leg.clear();
    if (this.#table !== null) this.#table.part.audibleTo = part === null ? 'nobody' : 'all';
    part?.enter(this.leg);
  }

  /**
   * Adds a participant who hears the line, mixed and per side, and is audible to `tells`. From then on the audio
   * passes through this process.
   */
  join(guest: ConferenceListener, audibleTo: AudibleTo, sides?: CallSideListener): ConferenceParticipant {
    this.#table ??= this.#lay();
    const deaf = sides === undefined ? () => undefined : this.overhear(sides);
    const table = this.#table;
    const seat = table.company.addParticipant(guest, audibleTo);
    const leave = seat.leave.bind(seat);
    table.guests += 1;
    seat.leave = () => {
      seat.leave = () => undefined;
      leave();
      deaf();
      table.guests -= 1;
      if (table.guests === 0) this.#clear(table);
    };
    return seat;
  }

  /**
   * Reports each side's audio before mixing; the agent's side only while there is a conference. Returns the function
   * that ends it.
   */
  overhear(listener: CallSideListener): () => void {
    this.#sideListeners.add(listener);
    return () => void this.#sideListeners.delete(listener);
  }

  key(digit: string): void {
    this.#part?.key(digit);
  }

  /** The other side sends no audio while it has the line on hold. */
  held(on: boolean): void {
    this.#held = on;
    this.#progressAt = this.#clock.monotonic();
  }

  /** The time since the last audio arrived, or since the hold began. */
  get silentMs(): number {
    const { frames } = this.leg.stats().received;
    if (frames !== this.#frames || this.#held) {
      this.#frames = frames;
      this.#progressAt = this.#clock.monotonic();
    }
    return this.#clock.monotonic() - this.#progressAt;
  }

  /** The time from the answer to the last audio. A call without any audio has none. */
  get talkedMs(): number {
    return this.#clock.monotonic() - this.#answeredAt - this.silentMs;
  }

  get isOneWay(): boolean {
    const since = this.#clock.monotonic() - this.#answeredAt;
    return since > ONE_WAY_AFTER_MS && this.leg.stats().received.frames === 0;
  }

  quality(): CallQuality {
    const { received, sent, mos, echo = null } = this.leg.stats();
    return {
      received: shownWay(received),
      sent: shownWay(sent),
      mos,
      echo: echo === null ? null : { delay_ms: Math.round(echo.delayMs), level_db: rounded(echo.db, 10) },
      one_way: this.isOneWay,
    };
  }

  #lay(): MixedCall {
    const company = new ConferenceMixer(this.#clock);
    const caller = company.addParticipant({ hear: (frames) => this.leg.play(frames) }, 'all');
    const audibleTo = this.#part === null ? 'nobody' : 'all';
    const part = company.addParticipant({ hear: (frames) => this.#part?.audio(frames) }, audibleTo, true);
    this.#notifyOf(part);
    this.leg.through(part);
    return { company, caller, part, guests: 0 };
  }

  #heard(frames: Uint8Array): void {
    this.#notify('caller', frames);
    if (this.#table === null) this.#part?.audio(frames);
    else this.#table.caller.say(frames);
  }

  #notifyOf(part: ConferenceParticipant): void {
    const say = part.say.bind(part);
    part.say = (frames) => {
      this.#notify('agent', frames);
      say(frames);
    };
  }

  #notify(side: Side, frames: Uint8Array): void {
    for (const listener of this.#sideListeners) listener(side, frames);
  }

  #clear({ caller, part }: MixedCall): void {
    caller.leave();
    part.leave();
    this.#table = null;
    this.leg.through(null);
  }
}
