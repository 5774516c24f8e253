// @requirement Privacy: Legal hold stops sweeps and removals.
// @requirement Privacy: Sweeps report what they removed.
/** No retention sweep removes data under a legal hold, however old; it removes all other data of that age. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RecordedCalls, transcriptSweep } from '../../../src/conversation/calls/index.ts';
import { gapSweep } from '../../../src/conversation/knowledge/retention.ts';
import { DEFAULT_RETENTION } from '../../../src/foundation/access/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import {
  acrossTenants,
  type BlobKey,
  openBlobs,
  type Storage,
  withinTenant,
} from '../../../src/foundation/storage/index.ts';
import { recordingSweep } from '../../../src/media/recordings/index.ts';
import { RECORDING_BLOB_AREA as RECORDINGS, Recordings } from '../../../src/media/recordings/recordings.ts';
import { wordsSweep } from '../../../src/products/amd/index.ts';
import { audioKey as renderKey, takeKey } from '../../../src/products/cast/blobs.ts';
import { castSweep } from '../../../src/products/cast/retention.ts';
import { dubSweep } from '../../../src/products/dub/retention.ts';
import { importSweep } from '../../../src/products/imports/index.ts';
import { recapSweep } from '../../../src/products/recap/index.ts';
import { interactionSweep } from '../../../src/products/trace/index.ts';
import { audioKey } from '../../../src/speech/transcription/index.ts';
import { jobSweep } from '../../../src/speech/transcription/retention.ts';
import { VoicemailDrops, voicemailSweep } from '../../../src/telephony/dialling/index.ts';
import { dropKey } from '../../../src/telephony/dialling/voicemail-drops.ts';
import { VOICEMAIL_AREA, Voicemails } from '../../../src/telephony/dialling/voicemails.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../access/tenant-scopes.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const YEAR_MS = 365 * 86_400_000;
const HERE = scopeFor('org_a');
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
  'call_recordings',
  'telephony_voicemails',
  'telephony_calls',
  'cast_takes',
] as const;
type Table = (typeof TABLES)[number];

const recordColumn = (table: Table) => (table === 'cast_takes' ? 'cast_id' : 'id');
const MORE: Partial<Record<Table, object>> = {
  trace_interactions: { document: '{"words":1}' },
  amd_calls: { verdict: '{"because":[]}' },
  call_recordings: { status: 'success', format: 'wav', bytes: 5 },
  telephony_voicemails: { bytes: 5 },
  telephony_calls: { recording_bytes: 5 },
};
const SOUNDS: Partial<Record<Table, (record: string) => BlobKey>> = {
  transcription_jobs: audioKey,
  call_recordings: (owner) => ({ area: RECORDINGS, owner, name: 'call.wav' }),
  telephony_voicemails: (owner) => ({ area: VOICEMAIL_AREA, owner, name: 'message.wav' }),
  telephony_calls: dropKey,
  cast_takes: (cast) => takeKey(cast, 'x'),
};

let rows = 0;
const retention = async () => ({ ...DEFAULT_RETENTION, jobAudio: 1, transcript: 1 });

onBothDatabases('retention', (databases) => {
  async function open() {
    const folder = mkdtempSync(join(tmpdir(), 'held-'));
    databases.after(() => rmSync(folder, { recursive: true, force: true }));
    const [storage, clock] = [await databases.open(), new ManualClock(NOW)];
    const blobs = await openBlobs({ folder });
    const deps = { storage, blobs, clock, background: new BackgroundTasks({ clock }), retention };
    const recordings = new Recordings({
      ...deps,
      calls: new RecordedCalls(storage, blobs),
      folder,
      format: 'wav',
      ffmpeg: null,
      parts: null,
    });
    const voicemails = new Voicemails({ ...deps } as unknown as ConstructorParameters<typeof Voicemails>[0]);
    const drops = new VoicemailDrops({ ...deps, wavOf: (pcm) => pcm, onError: () => undefined });
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
      await recordingSweep(deps, recordings).sweep();
      await voicemailSweep(deps, voicemails, drops).sweep();
    };
    return { storage, blobs, sweepAll };
  }

  async function old(storage: Storage, table: Table): Promise<string> {
    const row = { ...SEEDS[table](`words of a person ${++rows}`, NOW - YEAR_MS), audio_removed_at: null };
    const { audio_removed_at: _, ...rest } = row;
    const whole = table === 'transcription_jobs' ? row : rest;
    // biome-ignore lint/suspicious/noExplicitAny: a table of a list and its own row.
    await (withinTenant(storage.db, HERE) as any).insertInto(table, { ...whole, ...MORE[table] }).execute();
    return (row as unknown as Record<string, string>)[recordColumn(table)] as string;
  }
  const rowOf = (storage: Storage, table: Table, id: string) =>
    acrossTenants(storage.db)
      .selectFrom(table)
      .selectAll()
      .where(recordColumn(table) as 'id', '=', id)
      .executeTakeFirst();

  it.each(TABLES)('leaves %s alone that is held, and takes what is not', async (table) => {
    const { storage, blobs, sweepAll } = await open();
    const [held, free] = [await old(storage, table), await old(storage, table)];
    const sounds = SOUNDS[table];
    const keys = sounds === undefined ? [] : [held, free].map(sounds);
    for (const key of keys) await blobs.put(key, [Buffer.from('sound')] as never, { payer: null });
    await withinTenant(storage.db, HERE)
      .insertInto('legal_holds', { record: held, reason: 'a case', placed_at: NOW })
      .execute();
    const [before, other] = [await rowOf(storage, table, held), await rowOf(storage, table, free)];
    await sweepAll();
    expect(await rowOf(storage, table, held)).toEqual(before);
    expect(await rowOf(storage, table, free)).not.toEqual(other);
    const stored = await Promise.all(keys.map((key) => blobs.stat(key)));
    expect(stored.map((one) => one !== null)).toEqual(keys.map((_, at) => at === 0));
    const reported = await storage.db
      .selectFrom('audit_entries')
      .select(['target', 'after'])
      .where('action', '=', 'retention.swept')
      .execute();
    expect(reported.map(({ target }) => target)).toEqual([HERE.org]);
    const counts = Object.values(JSON.parse(reported[0]?.after ?? '{}') as Record<string, number>);
    expect(new Set(counts)).toEqual(new Set([1]));
    await withinTenant(storage.db, HERE).deleteFrom('legal_holds').execute();
    await sweepAll();
    expect(await rowOf(storage, table, held)).not.toEqual(before);
    for (const key of keys) expect(await blobs.stat(key)).toBeNull();
  });

  it('leaves all that was rendered of a cast alone that is held', async () => {
    const { storage, blobs, sweepAll } = await open();
    const [cast, render, other] = ['cast_1', 'rend_1', 'rend_2'];
    for (const [id, cast_id] of [
      [render, cast],
      [other, 'cast_2'],
    ] as const) {
      const row = { ...SEEDS.cast_renders('words', NOW - YEAR_MS), id, cast_id, audio_removed_at: null };
      await withinTenant(storage.db, HERE)
        .insertInto('cast_renders', row as never)
        .execute();
      await blobs.put(renderKey(id, null), [Buffer.from('sound')] as never, { payer: null });
    }
    const hold = { record: cast, reason: 'a case', placed_at: NOW };
    await withinTenant(storage.db, HERE).insertInto('legal_holds', hold).execute();
    await sweepAll();
    expect(await rowOf(storage, 'cast_renders', render)).toMatchObject({ audio_removed_at: null });
    expect(await blobs.stat(renderKey(render, null))).not.toBeNull();
    expect(await rowOf(storage, 'cast_renders', other)).toBeUndefined();
    expect(await blobs.stat(renderKey(other, null))).toBeNull();
  });
});
