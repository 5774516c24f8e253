import type { LaneEvent } from './voice-lane.ts';

type FinalOrBackchannel = Extract<LaneEvent, { kind: 'final' | 'backchannel' }>;

type State =
  | { readonly kind: 'talk' }
  | {
      readonly kind: 'music';
      readonly sinceMs: number;
      /** The end of the music shows whether this utterance belongs to a person. */
      readonly pending: FinalOrBackchannel | null;
    };

/**
 * The filter stands between a lane and its session: while the agent is on hold and music plays, no speech counts as a
 * turn. In a conversation, background music filters nothing.
 */
export class HoldMusicFilter {
  readonly #waits: () => boolean;
  readonly #notify: (event: LaneEvent) => void;
  #state: State = { kind: 'talk' };

  constructor(waits: () => boolean, notify: (event: LaneEvent) => void) {
    this.#waits = waits;
    this.#notify = notify;
  }

  take(event: LaneEvent): void {
    const state = this.#state;
    if (event.kind === 'music') this.#music(event.playing, event.atMs);
    else if (state.kind === 'talk' || !this.#waits()) this.#notify(event);
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
        // Speech that began before the music was addressed to the agent.
        if (event.startMs >= state.sinceMs) {
          this.#state = { ...state, pending: event };
          this.#notify({ ...event, kind: 'final', text: '' });
          return;
        }
    }
    this.#notify(event);
  }

  #music(playing: boolean, atMs: number): void {
    const state = this.#state;
    if (playing === (state.kind === 'music')) return;
    this.#state = state.kind === 'talk' ? { kind: 'music', sinceMs: atMs, pending: null } : { kind: 'talk' };
    // A person spoke just before the lane reported the end of the music.
    if (state.kind === 'music' && state.pending !== null && state.pending.endMs > atMs)
      this.#notify(state.pending);
  }
}
