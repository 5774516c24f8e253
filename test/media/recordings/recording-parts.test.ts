// @requirement Recordings: A recording outlives its node and its disk: parts are stored during the call, and a resumed call is recorded on.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CallCheckpoints, CallStore } from '../../../src/conversation/calls/index.ts';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { Sealer, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { acrossTenants, type Blobs, openStorage } from '../../../src/foundation/storage/index.ts';
import { wavHeader } from '../../../src/media/codec/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { lostCallsOf } from '../../foundation/nodes/lost-node.ts';
import { migratedDatabase, onBothDatabases } from '../../foundation/storage/databases.ts';
import { accountedIn, recordingsIn } from './opened.ts';

const RATE = 8000;
const SECOND = 4 * RATE;
const PART_MS = 1000;
const HOUR_MS = 3_600_000;
const STARTS_AT = 500;

/** Samples that tell their place: the left channel counts hundredths of a second, the right one is its negative. */
function samples(fromMs: number, toMs: number): Buffer {
  const from = (fromMs * RATE) / 1000;
  const pcm = Buffer.alloc(((toMs - fromMs) * SECOND) / 1000);
  for (let at = 0; at < pcm.length / 4; at++) {
    const hundredth = 1 + Math.floor(((from + at) * 100) / RATE);
    pcm.writeInt16LE(hundredth, 4 * at);
    pcm.writeInt16LE(-hundredth, 4 * at + 2);
  }
  return pcm;
}

onBothDatabases('parts of a recording', (databases) => {
  async function cluster({ redacts = false } = {}) {
    const database = await migratedDatabase(databases.dialect);
    databases.after(() => database.remove());
    const shared = mkdtempSync(join(tmpdir(), 'parts-store-'));
    databases.after(() => rmSync(shared, { recursive: true, force: true }));
    let now = 1_700_000_000_000;
    const clock = { now: () => now, monotonic: () => now, after: () => () => undefined };
    const principal: Principal = new OneKeyAccess().principal();
    const scope = tenantScopeOf(principal);
    const store = {
      isDown: false,
      puts: 0,
      onList: async (): Promise<void> => undefined,
      onDelete: null as ((area: string, owner: string) => Promise<void>) | null,
    };

    const node = async (diskOf?: string) => {
      const storage = await openStorage(database.options);
      databases.after(() => storage.close());
      const disk = diskOf ?? mkdtempSync(join(tmpdir(), 'parts-disk-'));
      databases.after(() => rmSync(disk, { recursive: true, force: true }));
      const blobs = await accountedIn(storage, clock, shared);
      const sealer = new Sealer(Buffer.alloc(32, 1), 'parts of recordings');
      const failing: Blobs = Object.assign(Object.create(blobs) as Blobs, {
        get: blobs.get,
        list: async (...args: Parameters<Blobs['list']>) => {
          const { onList } = store;
          store.onList = async () => undefined;
          await onList();
          return await blobs.list(...args);
        },
        owners: blobs.owners,
        put: async (...args: Parameters<Blobs['put']>) => {
          store.puts += 1;
          if (store.isDown) throw new Error('the store is down');
          return await blobs.put(...args);
        },
        deleteOwner: (area: string, owner: string) =>
          store.onDelete?.(area, owner) ?? blobs.deleteOwner(area, owner),
        delete: blobs.delete.bind(blobs),
      });
      const parts = { everyMs: PART_MS, sealer, onPart: () => undefined };
      const recordings = recordingsIn(storage, clock, disk, { blobs: failing, parts, redacts });
      const checkpoints = new CallCheckpoints({ storage, clock, sealer });
      databases.after(() => checkpoints.stop());
      const background = new BackgroundTasks({ clock });
      const billing = createBilling({ storage, clock, background });
      const calls = new CallStore({ storage, blobs, billing, clock, background, checkpoints });
      await storage.db
        .insertInto('nodes')
        .values({ id: storage.nodeId, started_at: now, seen_at: now, fence: 1, is_lost: 0 })
        .execute();
      const write = (id: string, fromMs: number, toMs: number, segment = 0) => {
        const pcm = samples(fromMs, toMs);
        const header = wavHeader({ sampleRate: RATE, channels: 2, sample: 's16' }, pcm.length);
        writeFileSync(recordings.path(id, segment), Buffer.concat([header, pcm]));
      };
      const state = async (id: string) => {
        const row = await recordings.find(scope, id);
        return [row?.status, row?.reason, row?.duration_ms === null ? null : Number(row?.duration_ms)];
      };
      const bytesOf = async (id: string) => {
        const chunks: Buffer[] = [];
        const file = await recordings.file(scope, id);
        for await (const chunk of (await file?.body(null))?.stream ?? []) chunks.push(chunk as Buffer);
        return Buffer.concat(chunks);
      };
      const spooled = () => readdirSync(join(disk, 'recordings'));
      return { storage, disk, blobs, recordings, calls, write, state, bytesOf, spooled };
    };
    type Node = Awaited<ReturnType<typeof node>>;

    /** A call that is recorded from half a second of its clock on, of which a node has the first part. */
    const recorded = async ({ recordings, calls, write, state }: Node, toMs: number) => {
      const id = newId('ocl');
      const start = { id, principal, sessionLabel: null, externalId: 'ext', meta: null };
      await calls.open({ ...start, language: 'en', voiceId: 'v', voiceTier: 'standard' });
      await recordings.open(id, principal, 'ext');
      recordings.began(id, STARTS_AT);
      await expect.poll(async () => (await state(id))[0]).toBe('recording');
      write(id, 0, toMs);
      await recordings.storeParts();
      return { id };
    };
    const lose = async ({ storage }: Node, { storage: other, calls }: Node) => {
      await other.db.updateTable('nodes').set({ is_lost: 1 }).where('id', '=', storage.nodeId).execute();
      await lostCallsOf(other, clock, calls).endLost();
    };
    /** The session ends at one node, and its client reconnects to another. */
    const handOver = async (from: Node, id: string, to: Node) => {
      await acrossTenants(from.storage.db)
        .updateTable('calls')
        .set({ node_id: to.storage.nodeId })
        .where('id', '=', id)
        .execute();
      from.calls.forget(id);
      from.recordings.closed(id);
      await from.recordings.finish(id);
    };
    const end = async ({ storage, calls, recordings }: Node, id: string, segment: number) => {
      await acrossTenants(storage.db).deleteFrom('call_checkpoints').where('id', '=', id).execute();
      await calls.close(id, { ...ENDED, transcript: [] });
      recordings.closed(id, segment);
      await recordings.finish(id);
    };
    const partsIn = (id: string): string[] => {
      const area = join(shared, 'blobs', 'recording-parts');
      if (!existsSync(area)) return [];
      return readdirSync(area, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes(`${id}/`),
      );
    };
    const advance = (ms: number) => {
      now += ms;
    };
    /** The caller of a lost node did not come back in time: another node ends the session. */
    const giveUp = async (lost: Node, id: string, { storage, calls }: Node) => {
      await storage.db
        .updateTable('nodes')
        .set({ is_lost: 1 })
        .where('id', '=', lost.storage.nodeId)
        .execute();
      const calledBack = acrossTenants(storage.db).updateTable('calls').set({ node_id: storage.nodeId });
      await calledBack.where('id', '=', id).execute();
      await acrossTenants(storage.db).deleteFrom('call_checkpoints').where('id', '=', id).execute();
      await calls.close(id, { ...ENDED, transcript: [] });
    };
    return { node, recorded, lose, giveUp, handOver, end, partsIn, store, scope, principal, advance };
  }

  it('are joined by another node when theirs is lost with its disk, and replaced once that disk is back', async () => {
    const { node, recorded, lose, partsIn, scope, advance } = await cluster();
    const [first, second, third] = [await node(), await node(), await node()];
    const { id } = await recorded(first, 2000);
    first.write(id, 0, 3000);
    await first.recordings.storeParts();
    first.write(id, 0, 3400);
    expect(partsIn(id)).toHaveLength(2);
    await second.recordings.sweep();
    expect(await second.state(id), 'its node lives').toEqual(['recording', 'recording_in_progress', null]);

    await lose(first, second);
    await Promise.all([second.recordings.sweep(), third.recordings.sweep()]);
    expect(await second.state(id)).toEqual(['success', 'recording_cut_short', 3000]);
    expect((await second.bytesOf(id)).subarray(44).equals(samples(0, 3000))).toBe(true);
    expect(partsIn(id)).toEqual([]);
    const owner = { orgId: scope.org, environment: scope.environment };
    expect(await second.blobs.used(owner)).toBe(44 + 3 * SECOND);
    advance(2 * HOUR_MS);
    await second.recordings.sweep();
    expect(await second.state(id)).toEqual(['success', 'recording_cut_short', 3000]);

    const back = await node(first.disk);
    await back.recordings.sweep();
    expect(await back.state(id)).toEqual(['success', 'recorded', 3400]);
    expect((await back.bytesOf(id)).subarray(44).equals(samples(0, 3400))).toBe(true);
    expect(back.spooled()).toEqual([]);
    expect(await back.recordings.remove(scope, id)).toBe(true);
    expect(await back.blobs.used(owner)).toBe(0);
  });

  it('change nothing in the recording of a call that ends as it should, and are gone then', async () => {
    const { node, recorded, end, partsIn } = await cluster();
    const one = await node();
    const { id } = await recorded(one, 2000);
    expect(partsIn(id)).toHaveLength(1);
    one.write(id, 0, 2500);
    await end(one, id, 0);
    expect(await one.state(id)).toEqual(['success', 'recorded', 2500]);
    expect((await one.bytesOf(id)).subarray(44).equals(samples(0, 2500))).toBe(true);
    expect(partsIn(id)).toEqual([]);
    expect(one.spooled()).toEqual([]);
  });

  it('are sealed, and what was said last is covered where the agent’s records are redacted', async () => {
    const shown = async (redacts: boolean) => {
      const { node, recorded, lose, partsIn } = await cluster({ redacts });
      const [first, second] = [await node(), await node()];
      const { id } = await recorded(first, 2000);
      const [name = ''] = partsIn(id);
      const { stream } = (await first.blobs.get({
        area: 'recording-parts',
        owner: id,
        name: name.split('/').at(-1) as string,
      }))!;
      const part: Buffer[] = [];
      for await (const chunk of stream) part.push(chunk as Buffer);
      expect(Buffer.concat(part).includes(samples(1000, 1005))).toBe(false);
      await lose(first, second);
      await second.recordings.sweep();
      expect((await second.state(id)).slice(0, 2)).toEqual(['success', 'recording_cut_short']);
      return (await second.bytesOf(id)).subarray(44);
    };
    expect((await shown(false)).equals(samples(0, 2000))).toBe(true);
    const covered = await shown(true);
    for (let at = 0; at < 2000; at += 100)
      expect(covered.includes(samples(at, at + 100)), `${at} ms`).toBe(false);
  });

  it('cover what was said last when the caller of a lost node was not reached either, and nothing where the call ended', async () => {
    const { node, recorded, giveUp, end } = await cluster({ redacts: true });
    const [first, second] = [await node(), await node()];
    const whole = await recorded(second, 2000);
    await end(second, whole.id, 0);
    expect((await second.bytesOf(whole.id)).subarray(44).equals(samples(0, 2000))).toBe(true);
    const { id } = await recorded(first, 2000);
    await giveUp(first, id, second);
    await second.recordings.sweep();
    expect(await second.state(id)).toEqual(['success', 'recording_cut_short', 2000]);
    const covered = (await second.bytesOf(id)).subarray(44);
    for (let at = 0; at < 2000; at += 100)
      expect(covered.includes(samples(at, at + 100)), `${at} ms`).toBe(false);
  });

  it('are stored however many calls of the lost node go on elsewhere', async () => {
    const { node, recorded, lose, principal } = await cluster();
    const [first, second] = [await node(), await node()];
    const start = { principal, sessionLabel: null, externalId: null, meta: null, language: 'en' };
    const goOn = Array.from({ length: 220 }, (_, index) => `ocl_${String(index).padStart(20, '0')}`);
    for (const other of goOn) {
      await second.calls.open({ ...start, id: other, voiceId: 'v', voiceTier: 'standard' });
      await first.recordings.open(other, principal, null);
    }
    const { id } = await recorded(first, 1000);
    await lose(first, second);
    await second.recordings.sweep();
    expect(await second.state(id)).toEqual(['success', 'recording_cut_short', 1000]);
    expect((await second.state(goOn[0] as string))[0]).toBe('waiting');
  });

  it('outlast a store that fails for hours after the loss; without any, the recording is lost', async () => {
    const { node, recorded, lose, giveUp, partsIn, store, advance } = await cluster();
    const [first, second] = [await node(), await node()];
    const { id } = await recorded(first, 1000);
    const { id: nothing } = await recorded(first, 0);
    await giveUp(first, nothing, second);
    await lose(first, second);
    store.isDown = true;
    advance(2 * HOUR_MS);
    await second.recordings.sweep();
    expect(await second.state(id)).toEqual(['recording', 'recording_in_progress', null]);
    expect(await second.state(nothing)).toEqual(['failed', 'recording_lost', null]);
    store.isDown = false;
    await second.recordings.sweep();
    expect(await second.state(id)).toEqual(['success', 'recording_cut_short', 1000]);
    const other = await recorded(second, 1000);
    const third = await node();
    await lose(second, third);
    store.isDown = true;
    advance(25 * HOUR_MS);
    await third.recordings.sweep();
    expect(await third.state(other.id)).toEqual(['failed', 'recording_lost', null]);
    expect(partsIn(other.id)).toEqual([]);
  });

  it('are stored whole while another node, which has stored them, removes them', async () => {
    const { node, recorded, lose, store, partsIn } = await cluster();
    const [first, second, third] = [await node(), await node(), await node()];
    const { id } = await recorded(first, 1000);
    first.write(id, 0, 2000);
    await first.recordings.storeParts();
    await lose(first, second);
    store.onDelete = async (area, owner) => {
      const [, last] = (await third.blobs.list(area, owner)).toSorted((a, b) => a.name.localeCompare(b.name));
      if (last !== undefined) await third.blobs.delete({ area, owner, name: last.name });
    };
    store.onList = async () => await third.recordings.finish(id);
    await second.recordings.finish(id);
    expect(partsIn(id), 'the removal is under way').toHaveLength(1);
    expect(await second.state(id)).toEqual(['success', 'recording_cut_short', 2000]);
    expect((await second.bytesOf(id)).subarray(44).equals(samples(0, 2000))).toBe(true);
  });

  it('hold both halves of a call that went on at another node, with the silence between them', async () => {
    const { node, recorded, handOver, end, partsIn, principal } = await cluster();
    const [first, second] = [await node(), await node()];
    const { id } = await recorded(first, 1000);
    first.write(id, 0, 2000);
    await handOver(first, id, second);
    expect(partsIn(id)).toHaveLength(2);
    expect(await second.recordings.resumed(id)).toEqual({ isPaused: false });
    await second.recordings.open(id, principal, 'ext', 2);
    second.recordings.began(id, STARTS_AT + 2500);
    second.write(id, 3000, 4000, 2);
    await end(second, id, 2);
    expect(await second.state(id)).toEqual(['success', 'recorded', 3500]);
    const sound = (await second.bytesOf(id)).subarray(44);
    expect(sound.subarray(0, 2 * SECOND).equals(samples(0, 2000))).toBe(true);
    expect(sound.subarray(2 * SECOND, 2.5 * SECOND).equals(Buffer.alloc(SECOND / 2))).toBe(true);
    expect(sound.subarray(2.5 * SECOND).equals(samples(3000, 4000))).toBe(true);
    await first.recordings.sweep();
    expect([first.spooled(), second.spooled(), partsIn(id)]).toEqual([[], [], []]);
  });

  it('wait for a half that its node could not store yet, and go without it where that node is lost', async () => {
    for (const comesBack of [true, false]) {
      const { node, recorded, handOver, lose, end, store, principal } = await cluster();
      const [first, second] = [await node(), await node()];
      const { id } = await recorded(first, 1000);
      first.write(id, 0, 2000);
      store.isDown = true;
      await handOver(first, id, second);
      await second.recordings.open(id, principal, 'ext', 2);
      second.recordings.began(id, STARTS_AT + 2000);
      second.write(id, 2000, 3000, 2);
      store.isDown = false;
      await end(second, id, 2);
      expect((await second.state(id))[0]).toBe('recording');
      if (comesBack) await first.recordings.sweep();
      else await lose(first, second);
      await second.recordings.sweep();
      expect(await second.state(id)).toEqual([
        'success',
        comesBack ? 'recorded' : 'recording_cut_short',
        3000,
      ]);
      const sound = (await second.bytesOf(id)).subarray(44);
      expect(sound.subarray(0, SECOND).equals(samples(0, 1000))).toBe(true);
      const middle = comesBack ? samples(1000, 2000) : Buffer.alloc(SECOND);
      expect(sound.subarray(SECOND, 2 * SECOND).equals(middle)).toBe(true);
      expect(sound.subarray(2 * SECOND).equals(samples(2000, 3000))).toBe(true);
    }
  });

  it('tell a node that resumes the call whether it was paused', async () => {
    const { node, recorded, scope } = await cluster();
    const [first, second] = [await node(), await node()];
    const { id } = await recorded(first, 1000);
    first.recordings.paused(id, true);
    await expect.poll(() => second.recordings.resumed(id)).toEqual({ isPaused: true });
    first.recordings.paused(id, false);
    await expect.poll(() => second.recordings.resumed(id)).toEqual({ isPaused: false });
    expect(await second.recordings.remove(scope, id)).toBe(true);
    expect(await second.recordings.resumed(id)).toBeNull();
  });

  it('go, and none are added, when the recording is removed at another node during the call', async () => {
    const { node, recorded, partsIn, scope, store } = await cluster();
    const [first, second] = [await node(), await node()];
    const { id } = await recorded(first, 1000);
    expect(await second.recordings.remove({ ...scope, org: 'org_other' }, id)).toBe(false);
    expect(partsIn(id)).toHaveLength(1);
    expect(await second.recordings.remove(scope, id)).toBe(true);
    expect(partsIn(id)).toEqual([]);
    const { puts } = store;
    first.write(id, 0, 2000);
    await first.recordings.storeParts();
    expect(store.puts).toBe(puts);
    expect(partsIn(id)).toEqual([]);
  });

  it('are stored in order after the store was down, of at most 1 MiB each', async () => {
    const { node, recorded, lose, partsIn, store } = await cluster();
    const [first, second] = [await node(), await node()];
    const { id } = await recorded(first, 1000);
    store.isDown = true;
    first.write(id, 0, 50_000);
    await expect(first.recordings.storeParts()).rejects.toThrow('the store is down');
    first.write(id, 0, 90_000);
    store.isDown = false;
    await first.recordings.storeParts();
    expect(partsIn(id)).toHaveLength(1 + Math.ceil((89 * SECOND) / 1_048_576));
    await lose(first, second);
    await second.recordings.sweep();
    expect(await second.state(id)).toEqual(['success', 'recording_cut_short', 90_000]);
    expect((await second.bytesOf(id)).subarray(44).equals(samples(0, 90_000))).toBe(true);
  });

  it('that a killed node forgot to remove are removed; a recording that began nowhere is skipped', async () => {
    const { node, recorded, end, lose, partsIn, principal, advance } = await cluster();
    const [first, second] = [await node(), await node()];
    const { id } = await recorded(first, 1000);
    const area = { area: 'recording-parts', owner: id, name: 's0.8000.000000032000' };
    await end(first, id, 0);
    await first.blobs.put(area, [Buffer.alloc(100)], { payer: null });
    expect(partsIn(id)).toHaveLength(1);
    const waiting = newId('ocl');
    const start = { id: waiting, principal, sessionLabel: null, externalId: 'ext', meta: null };
    await first.calls.open({ ...start, language: 'en', voiceId: 'v', voiceTier: 'standard' });
    await first.recordings.open(waiting, principal, 'ext');
    const unknown = { ...area, owner: newId('ocl') };
    await first.blobs.put(unknown, [Buffer.alloc(100)], { payer: null });
    await lose(first, second);
    advance(HOUR_MS);
    await second.recordings.sweep();
    expect(partsIn(id)).toEqual([]);
    expect(partsIn(unknown.owner), 'a call of another database').toHaveLength(1);
    advance(Date.now());
    await second.recordings.sweep();
    expect(partsIn(unknown.owner)).toEqual([]);
    expect(await second.state(waiting)).toEqual(['skipped', 'consent_line_not_heard', null]);
  });
});
