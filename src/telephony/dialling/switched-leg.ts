import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../carriers/index.ts';
import type { ConferenceParticipant } from './conference-mixer.ts';

type Joining = Parameters<NonNullable<MediaLeg['join']>>[0];

/** The leg as those who have the line see it: straight to the carrier, or through the company that listens and talks too. */
export class SwitchedLeg implements MediaLeg {
  /** Something was sent that may not have been played yet. */
  #sends = false;
  readonly format: MediaFormat;
  /** Kept while there is company: its sound does not go past this process. */
  readonly join?: (lane: Joining) => void;
  readonly #leg: MediaLeg;
  #seat: ConferenceParticipant | null = null;
  #lane: Joining = null;

  constructor(leg: MediaLeg) {
    this.#leg = leg;
    this.format = leg.format;
    if (leg.join === undefined) return;
    this.join = (lane) => {
      this.#lane = lane;
      if (this.#seat === null) leg.join?.(lane);
    };
  }

  /** A null seat connects the leg directly again. */
  through(seat: ConferenceParticipant | null): void {
    this.#seat = seat;
    this.#leg.join?.(seat === null ? this.#lane : null);
  }

  bind(sink: MediaSink): void {
    this.#leg.bind(sink);
  }

  send(frames: Uint8Array): void {
    this.#sends = true;
    if (this.#seat === null) this.#leg.send(frames);
    else this.#seat.say(frames);
  }

  /** To the other side, whoever said it. */
  play(frames: Uint8Array): void {
    this.#sends = true;
    this.#leg.send(frames);
  }

  /** Nothing is told to a carrier that was sent nothing since. */
  clear(): void {
    this.#seat?.clearQueued();
    if (this.#sends || this.#lane !== null) this.#leg.clear();
    this.#sends = false;
  }

  mark(name: string): void {
    this.#leg.mark(name);
  }

  stats(): MediaStats {
    return this.#leg.stats();
  }
}
