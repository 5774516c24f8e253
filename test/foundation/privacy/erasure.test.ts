// @requirement Privacy: Erasure issues a certificate, survives a kill and is replayed after a restore.
// @requirement Privacy: Legal hold stops sweeps and removals.
/** An erasure removes all data of the person and none of others', and runs again after a backup was restored. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callPersonalData } from '../../../src/conversation/calls/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { Erasures, LegalHolds } from '../../../src/foundation/privacy/index.ts';
import { openBlobs, type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../access/tenant-scopes.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const HERE = scopeFor('org_a');
const ELSEWHERE = [
  scopeFor('org_b'),
  scopeFor('org_a', { projectId: 'proj_2' }),
  scopeFor('org_a', { environment: 'sandbox' }),
];

onBothDatabases('erasure', (databases) => {
  async function open() {
    const folder = mkdtempSync(join(tmpdir(), 'erasure-'));
    databases.after(() => rmSync(folder, { recursive: true, force: true }));
    const clock = new ManualClock(NOW);
    const blobs = await openBlobs({ folder });
    const forgotten: string[] = [];
    const serviceOn = (storage: Storage) => {
      const stores = [callPersonalData(storage, blobs)];
      const holds = new LegalHolds(storage, clock, stores);
      const trails = [
        async (_scope: unknown, records: readonly string[]) => {
          forgotten.push(...records);
          return { events: records.length };
        },
      ];
      return {
        holds,
        erasures: new Erasures({ storage, blobs, clock, holds, stores, cleanups: trails }),
      };
    };
    const storage = await databases.open();
    return { clock, storage, forgotten, serviceOn, ...serviceOn(storage) };
  }

  const call = async (storage: Storage, scope = HERE, person = 'ana', startedAt = NOW - 1) => {
    const row = { ...SEEDS.omni_calls('x', startedAt), external_id: person };
    await withinTenant(storage.db, scope).insertInto('omni_calls', row).execute();
    return row.id;
  };
  const callsOf = async (storage: Storage, scope = HERE) =>
    (await withinTenant(storage.db, scope).selectFrom('omni_calls').select('id').orderBy('id').execute()).map(
      ({ id }) => id,
    );

  it('removes everything of one person inside the tenant, and says how much', async () => {
    const { storage, erasures, forgotten } = await open();
    const theirs = [await call(storage), await call(storage)];
    const other = await call(storage, HERE, 'bob');
    for (const scope of ELSEWHERE) await call(storage, scope);
    const erasure = await erasures.erase(HERE, 'ana', SYSTEM_ACTOR);
    expect(erasure).toMatchObject({
      id: expect.stringMatching(/^era_/),
      counts: { calls: 2, transcripts: 2, events: 2 },
      held: 0,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      erasedAt: NOW,
    });
    expect(await callsOf(storage)).toEqual([other]);
    expect(forgotten.sort()).toEqual(theirs.sort());
    for (const scope of ELSEWHERE) expect(await callsOf(storage, scope)).toHaveLength(1);
    expect((await erasures.erase(HERE, 'ana', SYSTEM_ACTOR)).counts).toEqual({
      calls: 0,
      transcripts: 0,
      events: 0,
    });
    const stored = JSON.stringify(
      await withinTenant(storage.db, HERE).selectFrom('erasures').selectAll().execute(),
    );
    expect(stored).not.toContain('ana"');
  });

  it('leaves what is under a legal hold, and takes a hold only on a record that is there', async () => {
    const { storage, erasures, holds } = await open();
    const held = await call(storage);
    await call(storage);
    for (const scope of ELSEWHERE) {
      await expect(holds.place(scope, held, 'a case', SYSTEM_ACTOR)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    await holds.place(HERE, held, 'a case', SYSTEM_ACTOR);
    expect(await erasures.erase(HERE, 'ana', SYSTEM_ACTOR)).toMatchObject({ counts: { calls: 1 }, held: 1 });
    expect(await callsOf(storage)).toEqual([held]);
    await holds.release(HERE, held, SYSTEM_ACTOR);
    expect(await erasures.erase(HERE, 'ana', SYSTEM_ACTOR)).toMatchObject({ counts: { calls: 1 }, held: 0 });
  });

  it('forgets again in a database that a backup brought back, and only what was there then', async () => {
    const { storage, erasures, serviceOn, clock } = await open();
    await call(storage);
    await erasures.erase(HERE, 'ana', SYSTEM_ACTOR);
    expect(await erasures.replay()).toBe(0);
    const restored = await databases.open();
    await call(restored);
    clock.advance(1000);
    const later = await call(restored, HERE, 'ana', NOW + 500);
    const bob = await call(restored, HERE, 'bob');
    const again = serviceOn(restored).erasures;
    expect(await again.replay()).toBe(1);
    expect(await callsOf(restored)).toEqual([later, bob].sort());
    expect(await again.replay()).toBe(0);
  });
});
