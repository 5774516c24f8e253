import type { Clock } from '../../foundation/platform/clock.ts';
import type { DirectionStats, MediaLeg } from '../carriers/index.ts';
import { Company, type Hearing, type Seat, type Tells } from './company.ts';
import type { Heard, Quality } from './contract.ts';
import { LineLeg } from './line-leg.ts';
import type { Side } from './loudness.ts';

/** Who has an answered line: hears the other side and speaks to it. One at a time. */
export interface Part {
  /** The line is theirs: what they say goes to `leg`. */
  enter(leg: MediaLeg): void;
  audio(frames: Uint8Array): void;
  marked?(name: string): void;
  key(digit: string): void;
  /** Of an agent: what it should know from its next turn on. False: it does not talk yet. */
  whisper?(text: string): boolean;
  /** The line is another's now, or has ended. */
  leave(): void;
}

const ONE_WAY_AFTER_MS = 5_000;

/** Everybody on a line that is talked on by more than its part. */
interface Table {
  readonly company: Company;
  readonly caller: Seat;
  readonly part: Seat;
  guests: number;
}

/** What a side says, before it is mixed with anything. */
export type SideListener = (side: Side, frames: Uint8Array) => void;

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts;

const shownWay = ({ frames, lost, late, concealed, jitterMs, clipped }: DirectionStats): Heard => ({
  frames,
  lost,
  late,
  concealed,
  jitter_ms: jitterMs,
  clipped: clipped === null ? null : rounded(clipped, 1e6),
});

/** The sound of an answered call, who has it now, and who else hears it. */
export class Line {
  readonly leg: LineLeg;
  readonly #clock: Clock;
  readonly #answeredAt: number;
  #part: Part | null = null;
  #table: Table | null = null;
  #frames = 0;
  #progressAt: number;
  #held = false;
  readonly #sideListeners = new Set<SideListener>();

  constructor(leg: MediaLeg, clock: Clock) {
    this.leg = new LineLeg(leg);
    this.#clock = clock;
    this.#answeredAt = clock.monotonic();
    this.#progressAt = this.#answeredAt;
    leg.bind({
      audio: (frames) => this.#heard(frames),
      marked: (name) => this.#part?.marked?.(name),
    });
  }

  get part(): Part | null {
    return this.#part;
  }

  give(part: Part | null): void {
    const before = this.#part;
    this.#part = part;
    before?.leave();
    this.leg.clear();
    if (this.#table !== null) this.#table.part.tells = part === null ? 'nobody' : 'all';
    part?.enter(this.leg);
  }

  /** Somebody else hears the line, mixed and side by side, and is heard by whom they tell. The sound of all then goes through this process. */
  join(guest: Hearing, tells: Tells, sides?: SideListener): Seat {
    this.#table ??= this.#lay();
    const deaf = sides === undefined ? () => undefined : this.overhear(sides);
    const table = this.#table;
    const seat = table.company.sit(guest, tells);
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

  /** What each side says is told before it is mixed; what the part says, only while there is company. Gives back how that ends. */
  overhear(listener: SideListener): () => void {
    this.#sideListeners.add(listener);
    return () => void this.#sideListeners.delete(listener);
  }

  key(digit: string): void {
    this.#part?.key(digit);
  }

  /** The other side has put the line on hold, or has come back: on hold it need not send. */
  held(on: boolean): void {
    this.#held = on;
    this.#progressAt = this.#clock.monotonic();
  }

  /** For how long nothing has come that should have. */
  get silentMs(): number {
    const { frames } = this.leg.stats().received;
    if (frames !== this.#frames || this.#held) {
      this.#frames = frames;
      this.#progressAt = this.#clock.monotonic();
    }
    return this.#clock.monotonic() - this.#progressAt;
  }

  /** From the answer to the last sound that came; a call without any sound was none. */
  get talkedMs(): number {
    return this.#clock.monotonic() - this.#answeredAt - this.silentMs;
  }

  /** Nothing has come from the other side since the answer, some seconds ago. */
  get isOneWay(): boolean {
    const since = this.#clock.monotonic() - this.#answeredAt;
    return since > ONE_WAY_AFTER_MS && this.leg.stats().received.frames === 0;
  }

  quality(): Quality {
    const { received, sent, mos, echo = null } = this.leg.stats();
    return {
      received: shownWay(received),
      sent: shownWay(sent),
      mos,
      echo: echo === null ? null : { delay_ms: Math.round(echo.delayMs), level_db: rounded(echo.db, 10) },
      one_way: this.isOneWay,
    };
  }

  #lay(): Table {
    const company = new Company(this.#clock);
    const caller = company.sit({ hear: (frames) => this.leg.play(frames) }, 'all');
    const tells = this.#part === null ? 'nobody' : 'all';
    const part = company.sit({ hear: (frames) => this.#part?.audio(frames) }, tells, true);
    this.#tellOf(part);
    this.leg.through(part);
    return { company, caller, part, guests: 0 };
  }

  #heard(frames: Uint8Array): void {
    this.#tell('caller', frames);
    if (this.#table === null) this.#part?.audio(frames);
    else this.#table.caller.say(frames);
  }

  #tellOf(part: Seat): void {
    const say = part.say.bind(part);
    part.say = (frames) => {
      this.#tell('agent', frames);
      say(frames);
    };
  }

  #tell(side: Side, frames: Uint8Array): void {
    for (const listener of this.#sideListeners) listener(side, frames);
  }

  #clear({ caller, part }: Table): void {
    caller.leave();
    part.leave();
    this.#table = null;
    this.leg.through(null);
  }
}
