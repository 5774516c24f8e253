import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Log } from '../../foundation/platform/log.ts';
import type { CallQuality } from './contract.ts';
import type { FinishedCall, TelephonyCallStore } from './telephony-call-store.ts';

/** Writes the events of one call in their order. The call does not wait for the writes. */
export class CallTranscriptWriter {
  readonly #records: TelephonyCallStore;
  readonly #log: Log;
  readonly #scope: TenantScope;
  readonly #id: string;
  #written: Promise<void> = Promise.resolve();

  constructor(records: TelephonyCallStore, log: Log, scope: TenantScope, id: string) {
    this.#records = records;
    this.#log = log;
    this.#scope = scope;
    this.#id = id;
  }

  get written(): Promise<void> {
    return this.#written;
  }

  ringing = (): Promise<void> => this.#write(() => this.#records.ringing(this.#scope, this.#id));
  answered = (): Promise<void> => this.#write(() => this.#records.answered(this.#scope, this.#id));
  oneWay = (quality: CallQuality): Promise<void> =>
    this.#write(() => this.#records.oneWay(this.#scope, this.#id, quality));
  note = (what: Parameters<TelephonyCallStore['note']>[2]): Promise<void> =>
    this.#write(() => this.#records.note(this.#scope, this.#id, what));
  end = (finished: FinishedCall): Promise<void> =>
    this.#write(() => this.#records.end(this.#scope, this.#id, finished));

  fault(err: unknown, what: string): void {
    this.#log.error({ err, call: this.#id }, `a telephone call could not ${what}`);
  }

  #write(work: () => Promise<unknown>): Promise<void> {
    this.#written = this.#written.then(work).then(
      () => undefined,
      (error: unknown) => this.fault(error, 'be recorded'),
    );
    return this.#written;
  }
}
