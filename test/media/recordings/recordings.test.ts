// @requirement Recordings: Recordings are stereo, start after consent, pause by a tool and stay playable when the process dies.
// @requirement Recordings: Recordings are FLAC or Opus by setting, answer range requests and end with their retention.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CallStore, callIdOf, TranscriptOffload } from '../../../src/conversation/calls/index.ts';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { DEFAULT_RETENTION, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { NodeRegistry } from '../../../src/foundation/nodes/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { findFfmpeg, wavHeader } from '../../../src/media/codec/index.ts';
import {
  type RecordingFormat,
  recordingPersonalData,
  recordingSweep,
} from '../../../src/media/recordings/index.ts';
import { TelephonyCallStore } from '../../../src/telephony/dialling/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { moveToLostNode } from '../../foundation/nodes/lost-node.ts';
import { pollDelay } from '../../poll.ts';
import { accountedIn, recordingsIn } from './opened.ts';

const RATE = 8000;
const DAY_MS = 24 * 3600 * 1000;
const retention = async () => DEFAULT_RETENTION;

const storages: Storage[] = [];
afterEach(async () => {
  for (const storage of storages.splice(0)) await storage.close();
});

async function open({ quota = null, format }: { quota?: number | null; format?: RecordingFormat } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'recordings-'));
  const storage = await openStorage({ dataDir: ':memory:' });
  storages.push(storage);
  let now = 1_700_000_000_000;
  const clock = { now: () => now, monotonic: () => now, after: () => () => undefined };
  const blobs = await accountedIn(storage, clock, dataDir, quota);
  const ffmpeg = format === undefined ? null : (findFfmpeg(null, new Models())?.path ?? null);
  const recordings = recordingsIn(storage, clock, dataDir, { blobs, ffmpeg, ...(format && { format }) });
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const calls = new CallStore({ storage, blobs, billing, clock, background: new BackgroundTasks({ clock }) });
  const phones = new TelephonyCallStore({ storage, billing, clock, webhooks: { publish: async () => null } });
  const principal: Principal = new OneKeyAccess().principal();
  const scope = tenantScopeOf(principal);

  const recorded = async (text: string, { extra = 0, partOf }: { extra?: number; partOf?: string } = {}) => {
    const id = newId('ocl');
    const part = partOf === undefined ? {} : { partOf };
    const start = { id, ...part, principal, sessionLabel: null, externalId: 'ext', meta: null };
    await calls.open({ ...start, language: 'en', voiceId: 'v', voiceTier: 'standard' });
    await recordings.open(id, principal, 'ext');
    const pcm = Buffer.alloc(2 * RATE * 4 + extra);
    for (let at = 0; at < RATE * 2; at++) {
      pcm.writeInt16LE(1000, 4 * at);
      pcm.writeInt16LE(2000, 4 * at + 2);
    }
    const header = wavHeader({ sampleRate: RATE, channels: 2, sample: 's16' }, RATE * 8);
    writeFileSync(recordings.path(id), Buffer.concat([header, pcm]));
    recordings.began(id, 5000);
    while ((await recordings.find(scope, id))?.status !== 'recording') await pollDelay();
    const entry = { role: 'user', turn_id: 1, text, start_ms: 5500, end_ms: 6000, interrupted: false };
    await calls.close(id, { ...ENDED, transcript: [entry] });
    return id;
  };
  const bytesOf = async (id: string) => {
    const file = await recordings.file(scope, id);
    if (file === null) return null;
    const chunks: Buffer[] = [];
    for await (const chunk of (await file.body(null)).stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };
  const advance = (ms: number) => {
    now += ms;
  };
  const phoneCall = async () => {
    const row = await storage.transaction((trx) =>
      phones.create(trx, scope, {
        id: newId('tcl'),
        key_id: null,
        carrier: 'loopback',
        direction: 'inbound',
        from_number: '+14155550100',
        to_number: '+14155550101',
        number_id: null,
        agent_id: null,
        campaign_id: null,
        state: 'ringing',
        request: '{}',
        scheduled_at: null,
      }),
    );
    return row.id;
  };
  return {
    dataDir,
    storage,
    clock,
    blobs,
    recordings,
    calls,
    phones,
    phoneCall,
    scope,
    recorded,
    bytesOf,
    advance,
  };
}

describe('recordings', () => {
  it('that a killed process has left are kept by the next, as far as their header counts', async () => {
    const { recordings, recorded, bytesOf, scope } = await open();
    const id = await recorded('Hello', { extra: 999 });
    recordings.closed(id);
    await recordings.sweep();
    expect(existsSync(recordings.path(id))).toBe(false);
    expect(await recordings.find(scope, id)).toMatchObject({ status: 'success', duration_ms: 2000 });
    const bytes = await bytesOf(id);
    expect(bytes?.length).toBe(44 + RATE * 8);
    expect(bytes?.readInt16LE(44)).toBe(1000);
    expect(await recordings.among(scope, [id])).toEqual(new Set([id]));
    expect(await recordings.among({ ...scope, org: 'org_other' }, [id])).toEqual(new Set());
  });

  it('end as lost with a node that is gone for an hour, and are kept once its disk is back', async () => {
    const { recordings, recorded, storage, clock, advance, scope, dataDir } = await open();
    const id = await recorded('Hello');
    await moveToLostNode('omni_calls', id, storage, clock);
    const elsewhere = recordingsIn(storage, clock, undefined, {});
    const state = async () => {
      const row = await recordings.find(scope, id);
      return [row?.status, row?.reason];
    };
    const before = await state();
    advance(3_600_000);
    await elsewhere.sweep();
    expect(await state(), 'it has an hour').toEqual(before);
    advance(1);
    await elsewhere.sweep();
    expect(await state()).toEqual(['failed', 'recording_lost']);
    const again = recordingsIn(storage, clock, dataDir, {});
    await again.sweep();
    expect(await state()).toEqual(['success', 'recorded']);
    expect(existsSync(again.path(id))).toBe(false);
  });

  it('do not end as lost while their node lives, or has them', async () => {
    const { recordings, recorded, storage, clock, advance, scope } = await open();
    const id = await recorded('Hello');
    advance(3 * 3_600_000);
    const row = { started_at: 0, seen_at: clock.now(), fence: 1, is_lost: 0 };
    await storage.db
      .insertInto('nodes')
      .values({ id: storage.nodeId, ...row })
      .execute();
    await recordingsIn(storage, clock, undefined, {}).sweep();
    expect((await recordings.find(scope, id))?.status).toBe('recording');
  });

  // @requirement Trace: A tone covers personal data in recordings.
  it('have a tone where something personal was taken from the transcript, on that side alone', async () => {
    const { recordings, recorded, bytesOf, scope } = await open();
    const id = await recorded('My card is [REDACTED_CARD].');
    recordings.closed(id);
    await recordings.finish(id);
    expect(await recordings.find(scope, id)).toMatchObject({ redacted_spans: 1 });
    const bytes = (await bytesOf(id))!;
    const at = (ms: number, side: 0 | 1) => bytes.readInt16LE(44 + ((ms * RATE) / 1000) * 4 + 2 * side);
    expect([at(100, 0), at(1500, 0)]).toEqual([1000, 1000]);
    const inside = Array.from({ length: 40 }, (_, index) => at(400 + index * 15, 0));
    expect(inside).not.toContain(1000);
    expect(at(700, 1)).toBe(2000);
  });

  // @requirement Recordings: A recording goes on after a transfer only where the number says so.
  it('go on with people who talk without the agent: behind its last sample, in their own time, killed or not', async () => {
    const { recordings, recorded, bytesOf, scope, advance, storage, clock, dataDir, blobs } = await open();
    const loud = new Uint8Array(160).fill(0x80);
    const soft = new Uint8Array(160).fill(0xe0);
    const talked = async () => {
      const id = await recorded('Hello');
      const people = recordings.recordBridge(id, 500);
      for (let frame = 0; frame < 50; frame++) {
        people.write('caller', loud);
        if (frame < 10 || frame >= 25) people.write('other', soft);
        advance(20);
      }
      await people.close();
      return id;
    };
    const check = async (id: string) => {
      expect(await recordings.find(scope, id)).toMatchObject({ status: 'success', duration_ms: 3500 });
      const bytes = (await bytesOf(id))!;
      const at = (ms: number) =>
        [0, 2].map((side) => bytes.readInt16LE(44 + ((ms * RATE) / 1000) * 4 + side));
      expect([at(1990), at(2010), at(2490)]).toEqual([
        [1000, 2000],
        [0, 0],
        [0, 0],
      ]);
      expect([at(2510), at(2850), at(3470)]).toEqual([
        [32_124, 372],
        [32_124, 0],
        [32_124, 372],
      ]);
      expect(readdirSync(join(dataDir, 'recordings')).filter((name) => name.startsWith(id))).toEqual([]);
    };
    const ended = await talked();
    await recordings.sweep();
    expect(await recordings.find(scope, ended)).toMatchObject({ status: 'recording' });
    recordings.closed(ended);
    await recordings.finish(ended);
    await check(ended);

    const killed = await talked();
    await recordingsIn(storage, clock, dataDir, { blobs }).sweep();
    await check(killed);
  });

  it('hold the caller alone on the left of a talk of three, and the person with the agent on the right', async () => {
    const { recordings, recorded, bytesOf, advance, dataDir, ...offloaded } = await open();
    const id = await recorded('My card is [REDACTED_CARD].');
    await new TranscriptOffload({
      ...offloaded,
      background: new BackgroundTasks({ clock: offloaded.clock }),
      retention,
      inlineBytes: 1,
    }).sweep();
    const people = recordings.recordBridge(id, null);
    for (let frame = 0; frame < 25; frame++) {
      advance(20);
      people.write('other', new Uint8Array(160).fill(0xe0));
    }
    await people.close();
    recordings.closed(id);
    await recordings.finish(id);
    const bytes = (await bytesOf(id))!;
    const at = (ms: number) => [0, 2].map((side) => bytes.readInt16LE(44 + ((ms * RATE) / 1000) * 4 + side));
    expect(bytes.length).toBe(44 + RATE * 8);
    expect([at(100), at(1800)]).toEqual([
      [0, 2372],
      [1000, 2000],
    ]);
    const between = Array.from({ length: 40 }, (_, index) => at(700 + index * 10));
    expect(between.flat()).not.toContain(1000);
    expect(between.flat()).not.toContain(2000);
    expect(readdirSync(join(dataDir, 'recordings'))).toEqual([]);
  });

  it('are left alone by another process while the telephone call goes on in theirs, and are its own when that is lost', async () => {
    const { recordings, recorded, scope, phoneCall, advance, storage, clock, dataDir, blobs } = await open();
    const phone = await phoneCall();
    const id = await recorded('Hello', { partOf: callIdOf(phone) });
    const another = recordingsIn(storage, clock, dataDir, { blobs });
    await new NodeRegistry({ storage, clock, background: new BackgroundTasks({ clock }) }).sweep();
    advance(50_000);
    await another.sweep();
    expect(existsSync(recordings.path(id))).toBe(true);
    await moveToLostNode('telephony_calls', phone, storage, clock);
    await another.sweep();
    expect(await another.find(scope, id)).toMatchObject({ status: 'success' });
  });

  it('keep nothing of who is forgotten, or what is removed, while people talk on', async () => {
    const { recordings, recorded, calls, storage, clock, scope, dataDir } = await open();
    const [forgotten, removed] = [await recorded('Hello'), await recorded('Hello')];
    const talks = [forgotten, removed].map((id) => recordings.recordBridge(id, 0));
    expect(await recordings.remove(scope, removed)).toBe(true);
    expect(await calls.delete(scope, forgotten)).toBe(true);
    const person = { externalId: 'ext', until: clock.now() };
    await recordingPersonalData(storage, recordings).erase(scope, person, {
      among: async () => new Set([removed]),
    });
    for (const talk of talks) {
      talk.write('caller', new Uint8Array(160));
      await talk.close();
    }
    for (const id of [forgotten, removed]) {
      recordings.began(id, 5);
      recordings.closed(id);
      await recordings.finish(id);
    }
    expect(await recordings.find(scope, forgotten)).toBeNull();
    expect(await recordings.find(scope, removed)).toMatchObject({
      status: 'removed',
      reason: 'recording_deleted',
    });
    expect(readdirSync(join(dataDir, 'recordings'))).toEqual([]);
    expect(existsSync(join(dataDir, 'blobs', 'recordings', removed))).toBe(false);
  });

  it('fail where what people say cannot be written, and hold none of it', async () => {
    const { recordings, recorded, scope, dataDir, advance } = await open();
    const id = await recorded('Hello');
    writeFileSync(join(dataDir, 'recordings', `${id}.0.wav`), 'x');
    const people = recordings.recordBridge(id, 0);
    while ((await recordings.find(scope, id))?.status !== 'failed') await pollDelay();
    const second = new Uint8Array(RATE);
    const held = process.memoryUsage().arrayBuffers;
    for (let at = 0; at < 4000; at++) {
      people.write('caller', second);
      advance(1000);
    }
    expect(process.memoryUsage().arrayBuffers - held).toBeLessThan(8e6);
    await people.close();
    recordings.closed(id);
    await recordings.finish(id);
    expect(await recordings.find(scope, id)).toMatchObject({ status: 'failed', reason: 'recording_failed' });
    expect(existsSync(recordings.path(id))).toBe(false);
  });

  it('count against their payer, and fail where nothing more may be kept', async () => {
    const small = await open({ quota: 1000 });
    const refused = await small.recorded('Hello');
    small.recordings.closed(refused);
    await small.recordings.finish(refused);
    expect(await small.recordings.find(small.scope, refused)).toMatchObject({
      status: 'failed',
      reason: 'storage_quota_exceeded',
    });
    const { recordings, recorded, blobs, scope } = await open({ quota: 1_000_000 });
    const id = await recorded('Hello');
    recordings.closed(id);
    await recordings.finish(id);
    const owner = { orgId: scope.org, environment: scope.environment };
    expect(await blobs.used(owner)).toBe(44 + RATE * 8);
    expect(await recordings.remove(scope, id)).toBe(true);
    expect(await blobs.used(owner)).toBe(0);
    expect(await recordings.find(scope, id)).toMatchObject({
      status: 'removed',
      reason: 'recording_deleted',
    });
  });

  it('go when their time is over, and with the person', async () => {
    const { recordings, recorded, storage, clock, scope, advance, dataDir } = await open();
    const [old, held] = [await recorded('Hello'), await recorded('Hello')];
    for (const id of [old, held]) {
      recordings.closed(id);
      await recordings.finish(id);
    }
    const sweep = recordingSweep(
      { storage, clock, background: new BackgroundTasks({ clock }), retention },
      recordings,
    );
    advance(89 * DAY_MS);
    await sweep.sweep();
    expect(await recordings.file(scope, old)).not.toBeNull();
    const personalData = recordingPersonalData(storage, recordings);
    const person = { externalId: 'ext', until: clock.now() };
    const holds = { among: async () => new Set([held]) };
    expect(await personalData.erase(scope, person, holds)).toMatchObject({
      counts: { call_recordings: 1 },
      held: [held],
    });
    expect(await recordings.find(scope, old)).toBeNull();
    advance(2 * DAY_MS);
    await sweep.sweep();
    expect(await recordings.find(scope, held)).toMatchObject({ reason: 'recording_retention_over' });
    expect(existsSync(join(dataDir, 'blobs', 'recordings', held))).toBe(false);
  });

  it.skipIf(findFfmpeg(null, new Models()) === null).each(['flac', 'opus'] as const)(
    'are kept as %s by setting',
    async (format) => {
      const { recordings, recorded, bytesOf, scope } = await open({ format });
      const id = await recorded('Hello');
      recordings.closed(id);
      await recordings.finish(id);
      expect(await recordings.find(scope, id)).toMatchObject({ status: 'success', format });
      expect((await bytesOf(id))?.toString('latin1', 0, 4)).toBe(format === 'flac' ? 'fLaC' : 'OggS');
    },
  );

  it('leave no file of a call that nobody knows', async () => {
    const { recordings, dataDir } = await open();
    mkdirSync(join(dataDir, 'recordings'), { recursive: true });
    const id = newId('ocl');
    writeFileSync(recordings.path(id), 'x');
    await recordings.sweep();
    expect(existsSync(recordings.path(id))).toBe(false);
  });
});
