import type { SelectQueryBuilder } from 'kysely';
import { type RetentionDays, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import {
  acrossTenants,
  type Blobs,
  type EveryTable,
  payerOf,
  type Storage,
} from '../../foundation/storage/index.ts';
import type { OmniCallRow } from '../../foundation/storage/tables/omni.ts';
import { transcriptDocument, transcriptKey } from './transcripts.ts';

const DAY_MS = 24 * 3600 * 1000;
const EVERY_MS = 60_000;
const BATCH_ROWS = 20;

export interface TranscriptOffloadOptions {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly inlineBytes: number;
  readonly background: BackgroundTasks;
}

const COLUMNS = ['id', 'org_id', 'project_id', 'environment', 'transcript'] as const;
type InlineTranscriptRow = Pick<OmniCallRow, (typeof COLUMNS)[number]>;
type SelectDue = (
  inline: SelectQueryBuilder<EveryTable, 'omni_calls', object>,
) => SelectQueryBuilder<EveryTable, 'omni_calls', object>;

export class TranscriptOffload {
  readonly #options: TranscriptOffloadOptions;
  #sweeping: RepeatingTask | null = null;

  constructor(options: TranscriptOffloadOptions) {
    this.#options = options;
  }

  start(): void {
    const times = { everyMs: EVERY_MS };
    this.#sweeping = this.#options.background.repeat('transcript offload', () => this.sweep(), times);
  }

  async stop(): Promise<void> {
    await this.#sweeping?.stop();
  }

  async sweep(): Promise<void> {
    const { inlineBytes, retention, clock, storage } = this.#options;
    /** The transcripts of organizations without free storage quota stay in their rows. */
    const full = new Set<string>();
    let moved = await this.#move(full, (inline) => inline.where('transcript_bytes', '>', inlineBytes));
    for (let org = await this.#nextOrg(''); org !== null; org = await this.#nextOrg(org)) {
      const orgId = org;
      const before = clock.now() - (await retention(orgId)).transcriptOffload * DAY_MS;
      moved += await this.#move(full, (inline) =>
        inline.where('org_id', '=', orgId).where('created_at', '<=', before),
      );
    }
    if (moved > 0) await storage.scrub();
  }

  #inline() {
    return acrossTenants(this.#options.storage.db)
      .selectFrom('omni_calls')
      .where('transcript', 'is not', null)
      .where('status', '!=', 'live');
  }

  /** The query makes one index look-up for each organization. */
  async #nextOrg(after: string): Promise<string | null> {
    const row = await this.#inline()
      .select('org_id')
      .where('org_id', '>', after)
      .orderBy('org_id')
      .limit(1)
      .executeTakeFirst();
    return row?.org_id ?? null;
  }

  async #move(full: Set<string>, due: SelectDue): Promise<number> {
    for (let moved = 0; ; ) {
      let query = due(this.#inline());
      if (full.size > 0) query = query.where('org_id', 'not in', [...full]);
      const rows = await query.select(COLUMNS).limit(BATCH_ROWS).execute();
      for (const row of rows) {
        if (full.has(row.org_id)) continue;
        if (await this.#offload(row)) moved++;
        else full.add(row.org_id);
      }
      if (rows.length < BATCH_ROWS) return moved;
    }
  }

  async #offload(row: InlineTranscriptRow): Promise<boolean> {
    const { storage, blobs, clock } = this.#options;
    const key = transcriptKey(row.id);
    const bytes = Buffer.from(transcriptDocument(row.transcript as string));
    const payer = payerOf(tenantScopeOfRow(row), bytes.length);
    try {
      await blobs.put(key, [bytes], { payer, contentType: 'application/json' });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'storage_quota_exceeded') return false;
      throw error;
    }
    const own = acrossTenants(storage.db);
    const { numUpdatedRows } = await own
      .updateTable('omni_calls')
      .set({ transcript: null, transcript_offloaded_at: clock.now() })
      .where('id', '=', row.id)
      .where('transcript', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return true;
    const now = await own
      .selectFrom('omni_calls')
      .select('transcript_offloaded_at')
      .where('id', '=', row.id)
      .executeTakeFirst();
    if ((now?.transcript_offloaded_at ?? null) === null) await blobs.delete(key);
    return true;
  }
}
