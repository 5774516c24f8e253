import type { EndReason } from './contract.ts';

type State =
  | { readonly kind: 'live' }
  | { readonly kind: 'leaving'; readonly reason: Promise<EndReason> }
  | { readonly kind: 'ended'; readonly reason: EndReason }
  | { readonly kind: 'over' };

export class SessionState {
  #state: State = { kind: 'live' };
  /** A person has the call: the agent writes down what is said, and says nothing. */
  isMuted = false;

  get isLive(): boolean {
    return this.#state.kind === 'live';
  }

  get hasEnded(): boolean {
    return this.#state.kind === 'ended' || this.#state.kind === 'over';
  }

  get isEndUnreported(): boolean {
    return this.#state.kind === 'ended';
  }

  get plannedEnd(): Promise<EndReason> | null {
    return this.#state.kind === 'leaving' ? this.#state.reason : null;
  }

  planEnd(reason: Promise<EndReason>): void {
    if (!this.hasEnded) this.#state = { kind: 'leaving', reason };
  }

  endAsPlanned(end: (reason: EndReason) => void): void {
    void this.plannedEnd?.then(end);
  }

  end(reason: EndReason): void {
    this.#state = { kind: 'ended', reason };
  }

  /** Returns the reason once; later calls get null. */
  takeEndReason(): EndReason | null {
    if (this.#state.kind !== 'ended') return null;
    const { reason } = this.#state;
    this.#state = { kind: 'over' };
    return reason;
  }
}
