import type { LegEnd, LegListener, LegState } from '../contract.ts';

export class CallProgress {
  readonly #ended: () => void;
  #state: LegState = { kind: 'dialing' };
  #listener: LegListener | null = null;

  constructor(ended: () => void) {
    this.#ended = ended;
  }

  get state(): LegState {
    return this.#state;
  }

  get listener(): LegListener | null {
    return this.#listener;
  }

  begin(listener: LegListener, kind: 'dialing' | 'ringing'): void {
    this.#listener = listener;
    this.#state = kind === 'dialing' ? { kind } : { kind, early: null };
  }

  become(state: LegState): void {
    if (this.#state.kind === 'ended') return;
    this.#state = state;
    this.#listener?.state(state);
  }

  end(end: LegEnd): void {
    if (this.#state.kind === 'ended') return;
    this.#state = { kind: 'ended', end };
    this.#ended();
    this.#listener?.state(this.#state);
  }
}
