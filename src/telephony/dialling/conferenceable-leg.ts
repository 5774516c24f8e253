import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../carriers/index.ts';
import type { ConferenceParticipant } from './conference-mixer.ts';

type Joining = Parameters<NonNullable<MediaLeg['join']>>[0];

export class ConferenceableLeg implements MediaLeg {
  #sends = false;
  readonly format: MediaFormat;
  /**
   * The lane joins the carrier's leg directly only without a conference, whose audio has to pass through this
   * process.
   */
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

  play(frames: Uint8Array): void {
    this.#sends = true;
    this.#leg.send(frames);
  }

  /** The carrier gets a clear only when audio was sent since the last one. */
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
