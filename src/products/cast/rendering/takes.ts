/** Caches the audio of lines by everything that shapes it, so that an unedited line is not synthesized again. */
import { PermanentError, type Trx } from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { acrossTenants, type Blobs, type Storage } from '../../../foundation/storage/index.ts';
import type { CastRenderRow } from '../../../foundation/storage/tables/cast.ts';
import { takeKey } from '../blobs.ts';
import type { PlannedLine, RenderPlan } from './plan.ts';
import { RATE, SAMPLE_BYTES } from './take.ts';

interface Known {
  readonly samples: number;
  readonly billed: boolean;
}

interface TakesDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
}

const milliseconds = (samples: number): number => Math.round((samples * 1000) / RATE);

export class Takes {
  readonly #deps: TakesDeps;
  readonly #row: CastRenderRow;

  constructor(deps: TakesDeps, row: CastRenderRow) {
    this.#deps = deps;
    this.#row = row;
  }

  async known(): Promise<Map<string, Known>> {
    const rows = await this.#select(this.#deps.storage.db).select(['take', 'samples', 'billed']).execute();
    return new Map(
      rows.map(({ take, samples, billed }) => [take, { samples: Number(samples), billed: billed === 1 }]),
    );
  }

  /** Returns the number of samples. */
  async put(line: PlannedLine, sound: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    const payer = { orgId: this.#row.org_id, environment: this.#row.environment };
    try {
      const { bytes } = await this.#deps.blobs.put(takeKey(this.#row.cast_id, line.take), sound, {
        payer,
        signal,
      });
      return bytes / SAMPLE_BYTES;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'storage_quota_exceeded')
        throw new PermanentError(error.message, { cause: error });
      throw error;
    }
  }

  async keep(trx: Trx, take: string, samples: number): Promise<void> {
    const { org_id, project_id, environment, cast_id } = this.#row;
    const row = {
      org_id,
      project_id,
      environment,
      cast_id,
      take,
      samples,
      billed: 0,
      used_at: this.#deps.clock.now(),
    };
    await acrossTenants(trx)
      .insertInto('cast_takes')
      .values(row)
      .onConflict((conflict) => conflict.columns(['cast_id', 'take']).doNothing())
      .execute();
  }

  async *read(take: string): AsyncGenerator<Buffer> {
    const body = await this.#deps.blobs.get(takeKey(this.#row.cast_id, take));
    if (body === null) {
      // The take expired between the two reads; the next attempt synthesizes it again.
      await acrossTenants(this.#deps.storage.db)
        .deleteFrom('cast_takes')
        .where('cast_id', '=', this.#row.cast_id)
        .where('take', '=', take)
        .execute();
      throw new Error(`the take ${take} was deleted`);
    }
    let odd: Buffer = Buffer.alloc(0);
    for await (const chunk of body.stream) {
      const bytes = odd.length === 0 ? (chunk as Buffer) : Buffer.concat([odd, chunk as Buffer]);
      const whole = bytes.length - (bytes.length % SAMPLE_BYTES);
      odd = bytes.subarray(whole);
      yield bytes.subarray(0, whole);
    }
  }

  async unbilledMs(plan: RenderPlan): Promise<number> {
    const known = await this.known();
    const takes = new Set(plan.lines.map(({ take }) => take));
    let samples = 0;
    for (const take of takes) if (known.get(take)?.billed === false) samples += known.get(take)!.samples;
    return milliseconds(samples);
  }

  async madeSince(time: number): Promise<ReadonlySet<string>> {
    const rows = await this.#select(this.#deps.storage.db)
      .select('take')
      .where('used_at', '>=', time)
      .where('billed', '=', 0)
      .execute();
    return new Set(rows.map(({ take }) => take));
  }

  /** Marks the takes as billed and used now; returns the milliseconds that were not billed before. */
  async bill(trx: Trx, plan: RenderPlan): Promise<number> {
    const takes = [...new Set(plan.lines.map(({ take }) => take))];
    const now = this.#deps.clock.now();
    let samples = 0;
    for (const take of takes) {
      const row = await this.#select(trx, take).select(['samples', 'billed']).executeTakeFirst();
      if (row?.billed === 0) samples += Number(row.samples);
      await acrossTenants(trx)
        .updateTable('cast_takes')
        .set({ billed: 1, used_at: now })
        .where('cast_id', '=', this.#row.cast_id)
        .where('take', '=', take)
        .execute();
    }
    return milliseconds(samples);
  }

  #select(db: Storage['db'] | Trx, take?: string) {
    return acrossTenants(db)
      .selectFrom('cast_takes')
      .where('cast_id', '=', this.#row.cast_id)
      .$if(take !== undefined, (query) => query.where('take', '=', take!));
  }
}
