/** Transcripts move out of their rows once they are large or old; reads and erasures work as before. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type CallEnd, CallStore } from '../../../src/conversation/calls/call-store.ts';
import {
  callPersonalData,
  readTranscriptEntries,
  TranscriptOffload,
} from '../../../src/conversation/calls/index.ts';
import { transcriptSweep } from '../../../src/conversation/calls/retention.ts';
import { transcriptKey } from '../../../src/conversation/calls/transcripts.ts';
import { DEFAULT_RETENTION, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { callConversation } from '../../../src/products/trace/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { accountedIn, blobsIn } from '../../media/recordings/opened.ts';

const DAY_MS = 24 * 3600 * 1000;
const INLINE_BYTES = 2_000;
const LONG = 'I would like to change my appointment of tomorrow. '.repeat(60);

const saying = (text: string): CallEnd => ({
  ...ENDED,
  transcript: [{ role: 'user', turn_id: 1, text, start_ms: 0, end_ms: 400, interrupted: false }],
});

onBothDatabases('transcripts of calls', ({ open }) => {
  async function setup({ quota = null }: { quota?: number | null } = {}) {
    const storage = await open();
    const clock = new ManualClock(Date.now());
    const blobs =
      quota === null
        ? blobsIn(storage, clock)
        : await accountedIn(storage, clock, mkdtempSync(join(tmpdir(), 'offload-')), quota);
    const calls = new CallStore({
      storage,
      blobs,
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
      clock,
      background: new BackgroundTasks({ clock }),
    });
    const days = new Map<string, number>();
    const retention = async (org: string) => ({
      ...DEFAULT_RETENTION,
      transcriptOffload: days.get(org) ?? DEFAULT_RETENTION.transcriptOffload,
    });
    const deps = { storage, blobs, clock, background: new BackgroundTasks({ clock }), retention };
    const offload = new TranscriptOffload({ ...deps, inlineBytes: INLINE_BYTES });
    const removal = transcriptSweep(deps);
    const held = async (end: CallEnd, orgId = 'org_a') => {
      const id = newId('ocl');
      const principal = { ...new OneKeyAccess().principal(), orgId };
      await calls.open({
        id,
        principal,
        sessionLabel: null,
        externalId: 'ana',
        language: 'en',
        voiceId: 'af_heart',
        voiceTier: 'natural',
        meta: null,
      });
      await calls.close(id, end);
      const scope = tenantScopeOf(principal);
      const row = async () => (await calls.find(scope, id))!;
      const files = async () => (await blobs.list('transcripts', id)).map(({ name }) => name);
      return { id, scope, row, files, said: async () => await readTranscriptEntries(blobs, await row()) };
    };
    return { storage, clock, blobs, calls, days, offload, removal, held };
  }

  it('are stored as files once they are larger than the setting, and read as before', async () => {
    const { storage, blobs, calls, offload, held } = await setup();
    const [large, small] = [await held(saying(LONG)), await held(saying('Hi'))];
    await offload.sweep();
    expect([(await large.row()).transcript, await large.files()]).toEqual([null, ['transcript.json']]);
    expect([(await small.row()).transcript_offloaded_at, await small.files()]).toEqual([null, []]);
    expect([await large.said(), await small.said()]).toEqual([
      saying(LONG).transcript,
      saying('Hi').transcript,
    ]);
    const conversation = await callConversation(storage.db, large.scope, large.id, blobs);
    expect(conversation?.utterances.map(({ text }) => text)).toEqual([LONG]);
    const found = await calls.list(large.scope, { q: 'appointment tomorrow' }, null);
    expect(found.map(({ id }) => id)).toEqual([large.id]);
  });

  it('are stored as files once they are older than their organization wants', async () => {
    const { clock, days, offload, held } = await setup();
    days.set('org_b', 5);
    const [usual, early] = [await held(saying('Hi')), await held(saying('Hi'), 'org_b')];
    const inline = async () => {
      await offload.sweep();
      return [(await usual.row()).transcript !== null, (await early.row()).transcript !== null];
    };
    clock.advance(4.9 * DAY_MS);
    expect(await inline()).toEqual([true, true]);
    clock.advance(0.2 * DAY_MS);
    expect(await inline()).toEqual([true, false]);
    clock.advance(24.8 * DAY_MS);
    expect(await inline()).toEqual([true, false]);
    clock.advance(0.2 * DAY_MS);
    expect(await inline()).toEqual([false, false]);
    expect([await usual.said(), await early.said()]).toEqual(Array(2).fill(saying('Hi').transcript));
  });

  it('leave no file of a call that is not there, once no upload can be under way', async () => {
    const { blobs, clock, offload, removal, held } = await setup();
    const stored = await held(saying(LONG));
    await offload.sweep();
    const orphan = newId('ocl');
    const one = async function* () {
      yield Buffer.from('{"entries":[]}');
    };
    await blobs.put(transcriptKey(orphan), one(), { payer: null });
    await removal.sweep();
    expect(await blobs.list('transcripts', orphan)).toHaveLength(1);
    clock.advance(2 * 3_600_000);
    await removal.sweep();
    expect(await blobs.list('transcripts', orphan)).toEqual([]);
    expect(await stored.files()).toEqual(['transcript.json']);
  });

  it('go with their call, with their time and with their person, file and all', async () => {
    const { storage, blobs, clock, calls, offload, removal, held } = await setup();
    const [deleted, expired, erased] = [
      await held(saying(LONG)),
      await held(saying(LONG)),
      await held(saying(LONG), 'org_b'),
    ];
    await offload.sweep();
    expect(await calls.delete(erased.scope, deleted.id)).toBe(false);
    expect(await deleted.files()).toEqual(['transcript.json']);
    expect(await calls.delete(deleted.scope, deleted.id)).toBe(true);
    expect(await deleted.files()).toEqual([]);

    const holds = { among: async () => new Set<string>() };
    const person = { externalId: 'ana', until: clock.now() };
    const { counts } = await callPersonalData(storage, blobs).erase(erased.scope, person, holds);
    expect([counts, await erased.files()]).toEqual([{ calls: 1, transcripts: 1 }, []]);

    clock.advance(366 * DAY_MS);
    await removal.sweep();
    expect(await expired.row()).toMatchObject({ said: null, transcript_offloaded_at: null });
    expect([await expired.said(), await expired.files()]).toEqual([null, []]);
    expect(await storage.db.selectFrom('stored_files').selectAll().execute()).toEqual([]);
  });

  it('of a call that goes on stay, and so do those for which there is no room', async () => {
    const { storage, offload, held } = await setup({ quota: 4_500 });
    const [one, two, other] = [
      await held(saying(LONG)),
      await held(saying(LONG)),
      await held(saying(LONG), 'org_b'),
    ];
    await acrossTenants(storage.db)
      .updateTable('omni_calls')
      .set({ status: 'live' })
      .where('id', '=', other.id)
      .execute();
    await offload.sweep();
    expect([...(await one.files()), ...(await two.files())]).toEqual(['transcript.json']);
    expect([await one.said(), await two.said()]).toEqual(Array(2).fill(saying(LONG).transcript));
    expect(await other.files()).toEqual([]);
  });

  it('are there when two nodes offload them at once', async () => {
    const { offload, held } = await setup();
    const call = await held(saying(LONG));
    await Promise.all([offload.sweep(), offload.sweep()]);
    expect([await call.files(), await call.said()]).toEqual([['transcript.json'], saying(LONG).transcript]);
  });
});
