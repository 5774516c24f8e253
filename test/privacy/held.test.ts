/** No retention sweep touches what is under a legal hold, however old it is; all else that is as old goes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../src/access/index.ts';
import { wordsSweep } from '../../src/amd/index.ts';
import { transcriptSweep } from '../../src/calls/index.ts';
import { castSweep } from '../../src/cast/retention.ts';
import { dubSweep } from '../../src/dub/retention.ts';
import { importSweep } from '../../src/imports/index.ts';
import { gapSweep } from '../../src/knowledge/retention.ts';
import { recapSweep } from '../../src/recap/index.ts';
import { acrossBorders, openBlobs, type Storage, within } from '../../src/storage/index.ts';
import { interactionSweep } from '../../src/trace/index.ts';
import { audioKey } from '../../src/transcription/index.ts';
import { jobSweep } from '../../src/transcription/retention.ts';
import { reachFor } from '../access/borders.ts';
import { SEEDS } from '../contract/seeds.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const YEAR_MS = 365 * 86_400_000;
const HERE = reachFor('org_a');
const TABLES = [
  'omni_calls',
  'transcription_jobs',
  'amd_calls',
  'trace_interactions',
  'knowledge_gaps',
  'recap_calls',
  'imported_calls',
  'cast_renders',
  'dub_jobs',
] as const;
type Table = (typeof TABLES)[number];

/** An imported call has a name of its own at its provider. */
let rows = 0;
const retention = async () => ({ ...DEFAULT_RETENTION, jobAudio: 1, transcript: 1 });

onBothDatabases('retention', (databases) => {
  async function open() {
    const folder = mkdtempSync(join(tmpdir(), 'held-'));
    databases.after(() => rmSync(folder, { recursive: true, force: true }));
    const [storage, clock] = [await databases.open(), new ManualClock(NOW)];
    const blobs = await openBlobs({ folder });
    const deps = { storage, blobs, clock, retention };
    const sweepAll = async () => {
      await transcriptSweep(deps).sweep();
      await wordsSweep(deps).sweep();
      await interactionSweep(deps).sweep();
      await recapSweep(deps).sweep();
      await gapSweep(deps).sweep();
      await jobSweep(deps).sweep();
      await importSweep(deps).sweep();
      await castSweep(deps).sweep();
      await dubSweep(deps).sweep();
    };
    return { storage, blobs, sweepAll };
  }

  /** As old as a year, with everything that a sweep could take. */
  async function old(storage: Storage, table: Table): Promise<string> {
    const row = { ...SEEDS[table](`words of a person ${++rows}`, NOW - YEAR_MS), audio_removed_at: null };
    const { audio_removed_at: _, ...rest } = row;
    const whole = table === 'transcription_jobs' ? row : rest;
    const more = {
      ...(table === 'trace_interactions' ? { document: '{"words":1}' } : {}),
      ...(table === 'amd_calls' ? { verdict: '{"because":[]}' } : {}),
    };
    // biome-ignore lint/suspicious/noExplicitAny: a table of a list and its own row.
    await (within(storage.db, HERE) as any).insertInto(table, { ...whole, ...more }).execute();
    return (row as unknown as { id: string }).id;
  }
  const rowOf = (storage: Storage, table: Table, id: string) =>
    acrossBorders(storage.db).selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst();

  it.each(TABLES)('leaves %s alone that is held, and takes what is not', async (table) => {
    const { storage, blobs, sweepAll } = await open();
    const [held, free] = [await old(storage, table), await old(storage, table)];
    const audio = table === 'transcription_jobs' ? [held, free] : [];
    for (const id of audio) await blobs.put(audioKey(id), [Buffer.from('sound')] as never, { payer: null });
    await within(storage.db, HERE)
      .insertInto('legal_holds', { record: held, reason: 'a case', placed_at: NOW })
      .execute();
    const [before, other] = [await rowOf(storage, table, held), await rowOf(storage, table, free)];
    await sweepAll();
    expect(await rowOf(storage, table, held)).toEqual(before);
    expect(await rowOf(storage, table, free)).not.toEqual(other);
    const kept = await Promise.all(audio.map((id) => blobs.stat(audioKey(id))));
    expect(kept.map((one) => one !== null)).toEqual(audio.map((id) => id === held));
    const told = await storage.db
      .selectFrom('audit_entries')
      .select(['target', 'after'])
      .where('action', '=', 'retention.swept')
      .execute();
    expect(told.map(({ target }) => target)).toEqual([HERE.org]);
    const counts = Object.values(JSON.parse(told[0]?.after ?? '{}') as Record<string, number>);
    expect(new Set(counts)).toEqual(new Set([1]));
    await within(storage.db, HERE).deleteFrom('legal_holds').execute();
    await sweepAll();
    expect(await rowOf(storage, table, held)).not.toEqual(before);
  });
});
