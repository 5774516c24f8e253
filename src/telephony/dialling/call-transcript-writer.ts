import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { Log } from '../../foundation/platform/log.ts';
import { RecordWriter } from '../../foundation/platform/record-writer.ts';
import type { CallQuality } from './contract.ts';
import type { FinishedCall, TelephonyCallStore } from './telephony-call-store.ts';

/** Writes the events of one call in their order, with the times at which they happened. The call does not wait. */
export class CallTranscriptWriter {
  readonly #records: TelephonyCallStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #scope: TenantScope;
  readonly #id: string;
  readonly #writer: RecordWriter;
  #answeredAt: number | null = null;

  constructor(records: TelephonyCallStore, clock: Clock, log: Log, scope: TenantScope, id: string) {
    this.#records = records;
    this.#clock = clock;
    this.#log = log;
    this.#scope = scope;
    this.#id = id;
    this.#writer = new RecordWriter(clock, (error) => this.fault(error, 'be recorded at once'));
  }

  get written(): Promise<void> {
    return this.#writer.written;
  }

  ringing = (): Promise<void> => this.#writer.write(() => this.#records.ringing(this.#scope, this.#id));
  answered = (): Promise<void> => {
    const at = this.#clock.now();
    this.#answeredAt = at;
    return this.#writer.write(() => this.#records.answered(this.#scope, this.#id, at));
  };
  oneWay = (quality: CallQuality): Promise<void> =>
    this.#writer.write(() => this.#records.oneWay(this.#scope, this.#id, quality));
  note = (what: Parameters<TelephonyCallStore['note']>[2]): Promise<void> =>
    this.#writer.write(() => this.#records.note(this.#scope, this.#id, what));
  /** The promise resolves once the end is written, however long the database is unavailable. */
  end = (finished: FinishedCall): Promise<void> => {
    const ended = { ...finished, answeredAt: this.#answeredAt, endedAt: this.#clock.now() };
    return this.#writer.end(() => this.#records.end(this.#scope, this.#id, ended));
  };

  fault(err: unknown, what: string): void {
    this.#log.error({ err, call: this.#id }, `a telephone call could not ${what}`);
  }
}
