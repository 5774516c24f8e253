import type { Principal } from '../../../foundation/access/contract.ts';

/** The place of a peer that has not shown yet who it is. */
export interface Stranger {
  /** Gives the place back: the peer is known, or gone. */
  leave(): void;
  /** Calls back where it takes too long; returns the cancel. */
  whenLate(onLate: () => void): () => void;
}

export interface SocketOwnerOptions {
  /** Whose the socket is as it opens; null: nobody's yet, or nobody's ever. */
  readonly principal: Principal | null;
  /** Calls back when the credential dies; returns the unsubscribe. */
  readonly watch: (principal: Principal, onDead: () => void) => () => void;
  readonly stranger: Stranger | null;
}

/** Whose an open socket is, and what ends it with its credential: by whichever way that was presented, and whenever. */
export class SocketOwner {
  readonly #options: SocketOwnerOptions;
  readonly #end: (reason: string) => void;
  #isOpen = false;
  #unwatch: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(options: SocketOwnerOptions, end: (reason: string) => void) {
    this.#options = options;
    this.#end = end;
  }

  opened(): void {
    const { principal, stranger } = this.#options;
    this.#isOpen = true;
    if (principal !== null) this.identified(principal);
    else this.#stopWaiting = stranger?.whenLate(() => this.#end('nothing said whose this is'));
  }

  identified(principal: Principal): void {
    if (!this.#isOpen) return;
    this.verified();
    this.#unwatch ??= this.#options.watch(principal, () => this.#end('the credential is no longer valid'));
  }

  verified(): void {
    this.#stopWaiting?.();
    this.#options.stranger?.leave();
  }

  closed(): void {
    this.#isOpen = false;
    this.verified();
    this.#unwatch?.();
  }
}
