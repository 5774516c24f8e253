import { ApiError } from '../../foundation/platform/errors.ts';

/** A transfer from its order to its failure. One that succeeds lasts until the call ends. */
export interface CallTransfer {
  /** The transfer has failed after it had the line, for which its own fallback provides. */
  end(): void;
  /** The transfer has failed before it had the line, which stays with the agent. */
  giveUp(): void;
}

/** Holds the transfer of a call, which has one at a time. */
export class TransferSlot {
  #current: { readonly to: string; withoutAgent: () => void } | null = null;

  /** Throws ApiError while another transfer is in progress. */
  begin(to: string): CallTransfer {
    if (this.#current !== null)
      throw new ApiError(
        'transfer_refused',
        `The call is being transferred to ${this.#current.to}; another transfer is possible once that has failed.`,
      );
    const current = { to, withoutAgent: (): void => undefined };
    this.#current = current;
    const isEnded = () => {
      const ends = this.#current === current;
      if (ends) this.#current = null;
      return ends;
    };
    return {
      end: () => void isEnded(),
      giveUp: () => {
        if (isEnded()) current.withoutAgent();
      },
    };
  }

  /**
   * The agent has left the call. `task` runs where the transfer in progress is given up. Returns false where there is
   * none.
   */
  whenGivenUp(task: () => void): boolean {
    if (this.#current === null) return false;
    this.#current.withoutAgent = task;
    return true;
  }
}
