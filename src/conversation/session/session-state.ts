import type { EndReason } from './contract.ts';

type State =
  | { readonly kind: 'live' }
  /** The last words are being spoken; how the call ends then is decided, and perhaps not yet known. */
  | { readonly kind: 'leaving'; readonly reason: Promise<EndReason> }
  /** Ended, until the lane has told what was heard. */
  | { readonly kind: 'ended'; readonly reason: EndReason }
  /** Ended, and told. */
  | { readonly kind: 'over' };

/** How far a call has come. */
export class SessionState {
  #state: State = { kind: 'live' };

  /** Turns are taken. */
  get isLive(): boolean {
    return this.#state.kind === 'live';
  }

  get hasEnded(): boolean {
    return this.#state.kind === 'ended' || this.#state.kind === 'over';
  }

  /** Ended, and not yet told. */
  get isEndUnreported(): boolean {
    return this.#state.kind === 'ended';
  }

  /** How the call ends behind its last words; null where none were decided, or where it has ended. */
  get plannedEnd(): Promise<EndReason> | null {
    return this.#state.kind === 'leaving' ? this.#state.reason : null;
  }

  planEnd(reason: Promise<EndReason>): void {
    if (!this.hasEnded) this.#state = { kind: 'leaving', reason };
  }

  /** Ends as it was decided behind the last words, once that is known. */
  endAsPlanned(end: (reason: EndReason) => void): void {
    void this.plannedEnd?.then(end);
  }

  end(reason: EndReason): void {
    this.#state = { kind: 'ended', reason };
  }

  /** How the call has ended, to the one who asks first. */
  takeEndReason(): EndReason | null {
    if (this.#state.kind !== 'ended') return null;
    const { reason } = this.#state;
    this.#state = { kind: 'over' };
    return reason;
  }
}
