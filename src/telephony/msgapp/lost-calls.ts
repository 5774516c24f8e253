import type { CallParts, LostCall } from '../../conversation/calls/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { HangUpQueue } from './hang-up-queue.ts';
import type { MsgappCallStore } from './msgapp-call-store.ts';

export interface LostMsgappCallsOptions {
  readonly records: MsgappCallStore;
  readonly hangUps: HangUpQueue;
  readonly live: () => readonly string[];
}

export class LostMsgappCalls implements CallParts {
  readonly #options: LostMsgappCallsOptions;

  constructor(options: LostMsgappCallsOptions) {
    this.#options = options;
  }

  live(): readonly string[] {
    return this.#options.live();
  }

  endLost(trx: Trx, call: LostCall): Promise<void> {
    const { records, hangUps } = this.#options;
    return records.endLost(trx, call, (inTrx, row) => hangUps.add(inTrx, row));
  }

  reclaim(trx: Trx, scope: TenantScope, callId: string): Promise<void> {
    return this.#options.records.reclaim(trx, scope, callId);
  }
}
