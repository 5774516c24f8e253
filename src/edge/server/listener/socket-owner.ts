import type { Principal } from '../../../foundation/access/contract.ts';

export interface UnauthenticatedSlot {
  release(): void;
  onTimeout(onLate: () => void): () => void;
}

export interface SocketOwnerOptions {
  /** The principal at the upgrade is null on public routes, and where a later frame identifies the peer. */
  readonly principal: Principal | null;
  readonly watch: (principal: Principal, onDead: () => void) => () => void;
  readonly unauthenticatedSlot: UnauthenticatedSlot | null;
}

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

  onOpened(): void {
    const { principal, unauthenticatedSlot: slot } = this.#options;
    this.#isOpen = true;
    if (principal !== null) this.identified(principal);
    else this.#stopWaiting = slot?.onTimeout(() => this.#end('no credential was presented in time'));
  }

  identified(principal: Principal): void {
    if (!this.#isOpen) return;
    this.verified();
    this.#unwatch ??= this.#options.watch(principal, () => this.#end('the credential is no longer valid'));
  }

  verified(): void {
    this.#stopWaiting?.();
    this.#options.unauthenticatedSlot?.release();
  }

  onClosed(): void {
    this.#isOpen = false;
    this.verified();
    this.#unwatch?.();
  }
}
