import type { Clock } from '../platform/clock.ts';
import type { LaneEvent } from './voice-lane.ts';

/** Music that never ends holds nobody for longer: it is a radio. */
const LONGEST_MS = 30 * 60_000;

type Heard = Extract<LaneEvent, { kind: 'final' | 'backchannel' }>;

type State =
  | { readonly kind: 'talk' }
  | {
      readonly kind: 'music';
      readonly sinceMs: number;
      readonly stopClock: () => void;
      /** The newest that was heard: whose it is shows when the music has ended. */
      readonly kept: Heard | null;
    };

/** Between a lane and its session: while the line plays music, what is heard in it is nobody's turn. */
export class OnHold {
  readonly #clock: Clock;
  readonly #tell: (event: LaneEvent) => void;
  #state: State = { kind: 'talk' };

  constructor(clock: Clock, tell: (event: LaneEvent) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  take(event: LaneEvent): void {
    const state = this.#state;
    if (event.kind === 'music') this.#music(event.playing, event.atMs);
    else if (state.kind === 'talk') this.#tell(event);
    else this.#inMusic(state, event);
  }

  #inMusic(state: Extract<State, { kind: 'music' }>, event: LaneEvent): void {
    switch (event.kind) {
      case 'partial':
      case 'eager_end':
      case 'continued':
        return;
      case 'final':
      case 'backchannel':
        // What began before the music was said to the agent.
        if (event.startMs >= state.sinceMs) {
          this.#state = { ...state, kept: event };
          this.#tell({ ...event, kind: 'final', text: '' });
          return;
        }
    }
    this.#tell(event);
  }

  #music(playing: boolean, atMs: number): void {
    const state = this.#state;
    if (playing === (state.kind === 'music')) return;
    if (state.kind === 'talk') {
      const stopClock = this.#clock.after(LONGEST_MS, () => this.#music(false, Number.POSITIVE_INFINITY));
      this.#state = { kind: 'music', sinceMs: atMs, stopClock, kept: null };
    } else {
      state.stopClock();
      this.#state = { kind: 'talk' };
    }
    this.#tell({ kind: 'music', playing, atMs });
    // A person spoke when it ended, before that was known.
    if (state.kind === 'music' && state.kept !== null && state.kept.endMs > atMs) this.#tell(state.kept);
  }
}
