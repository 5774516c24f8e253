// @requirement Cast: Casts follow retention and erasure, and leave no orphaned files.
// @requirement Cast: Casts are isolated between tenants.
// @requirement Privacy: Legal hold stops sweeps and removals.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { type BlobKey, openBlobs, withinTenant } from '../../../src/foundation/storage/index.ts';
import { audioKey, BLOB_AREA, takeKey } from '../../../src/products/cast/blobs.ts';
import { CastService } from '../../../src/products/cast/index.ts';
import { castSweep } from '../../../src/products/cast/retention.ts';
import { StockVoices, VoiceCatalogue, VoiceStore } from '../../../src/speech/voices/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { outboxOn } from '../../foundation/webhooks/checked.ts';

const DAY_MS = 24 * 3600 * 1000;
const HERE = scopeFor('org_a');
const ELSEWHERE = [
  scopeFor('org_b'),
  scopeFor('org_a', { projectId: 'proj_2' }),
  scopeFor('org_a', { environment: 'sandbox' }),
];
const TABLES = ['cast_projects', 'cast_lines', 'cast_renders', 'cast_takes'] as const;
const noHolds = { among: async () => new Set<string>() };

onBothDatabases('what is kept of casts', ({ open, after }) => {
  async function setup() {
    const storage = await open();
    const folder = await mkdtemp(join(tmpdir(), 'casts-kept-'));
    after(() => rm(folder, { recursive: true, force: true }));
    const blobs = await openBlobs({ folder });
    const clock = new ManualClock(Date.now());
    const service = new CastService({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      access: new OneKeyAccess(),
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
      engine: undefined as never,
      ffmpeg: null,
      queue: new JobQueue(storage, clock),
      webhooks: outboxOn(storage, clock),
      catalogue: new VoiceCatalogue(new StockVoices(), new VoiceStore(storage, clock)),
      model: null,
      folder: join(folder, 'work'),
      concurrency: 1,
    });
    const put = (key: BlobKey) => blobs.put(key, [Buffer.from('sound')] as never, { payer: null });
    const place = async (scope = HERE) => {
      const now = clock.now();
      const project = SEEDS.cast_projects('ann', now);
      const render = SEEDS.cast_renders('ann', now);
      const own = withinTenant(storage.db, scope);
      const [ended, lives] = [
        { completed_at: now, audio_removed_at: null, status: 'completed' },
        { cast_id: project.id, take: 'one' },
      ] as const;
      await own.insertInto('cast_projects', project as never).execute();
      await own
        .insertInto('cast_lines', { ...SEEDS.cast_lines('ann', now), cast_id: project.id } as never)
        .execute();
      await own.insertInto('cast_renders', { ...render, ...ended, cast_id: project.id } as never).execute();
      await own.insertInto('cast_takes', { ...SEEDS.cast_takes('ann', now), ...lives } as never).execute();
      for (const key of [takeKey(project.id, 'one'), audioKey(render.id, null), audioKey(render.id, 0)])
        await put(key);
      return { cast: project.id, render: render.id };
    };
    const filesOf = async (owner: string) =>
      (await blobs.list(BLOB_AREA, owner)).map(({ name }) => name).sort();
    const rows = async (scope = HERE) =>
      Promise.all(
        TABLES.map(
          async (table) =>
            (await withinTenant(storage.db, scope).selectFrom(table).selectAll().execute()).length,
        ),
      );
    const afterDays = async (days: number) => {
      clock.advance(days * DAY_MS);
      await castSweep({
        storage,
        blobs,
        clock,
        background: new BackgroundTasks({ clock }),
        retention: async () => DEFAULT_RETENTION,
      }).sweep();
    };
    return { storage, blobs, service, put, place, filesOf, rows, afterDays };
  }

  it('goes in its time: sounds first, the record of the render later, and the project never by itself', async () => {
    const { place, filesOf, rows, afterDays } = await setup();
    const { cast, render } = await place();
    await afterDays(6.9);
    expect([await filesOf(cast), await filesOf(render)]).toEqual([['take-one'], ['audio', 'stem-0']]);
    await afterDays(0.2);
    expect([await filesOf(cast), await filesOf(render)]).toEqual([[], []]);
    expect(await rows()).toEqual([1, 1, 1, 0]);
    await afterDays(358);
    expect(await rows()).toEqual([1, 1, 0, 0]);
  });

  it('is removed on request by no part that is held, nor with one', async () => {
    const { storage, service, place, filesOf, rows } = await setup();
    const { cast, render } = await place();
    const removals = {
      cast: () => service.projects.remove(HERE, cast, (trx) => service.renders.removeAll(trx, HERE, cast)),
      render: () => service.renders.remove(HERE, render),
    };
    for (const record of [cast, render]) {
      const hold = { record, reason: 'a case', placed_at: 1 };
      await withinTenant(storage.db, HERE).insertInto('legal_holds', hold).execute();
      for (const remove of Object.values(removals))
        await expect(remove()).rejects.toMatchObject({ code: 'legal_hold' });
      expect(await rows()).toEqual([1, 1, 1, 1]);
      expect([await filesOf(cast), await filesOf(render)]).toEqual([['take-one'], ['audio', 'stem-0']]);
      await withinTenant(storage.db, HERE).deleteFrom('legal_holds').execute();
    }
    await removals.render();
    await removals.cast();
    expect(await rows()).toEqual([0, 0, 0, 0]);
  });

  it('loses files that belong to no project and no render, when no request can still bring their record', async () => {
    const { put, place, filesOf, afterDays } = await setup();
    const { cast, render } = await place();
    const [noCast, noRender] = ['cast_00000000000000000000', 'rend_00000000000000000000'];
    await put(takeKey(noCast, 'one'));
    await put(audioKey(noRender, null));
    await afterDays(0.02);
    expect([await filesOf(noCast), await filesOf(noRender)]).toEqual([['take-one'], ['audio']]);
    await afterDays(0.1);
    expect([await filesOf(noCast), await filesOf(noRender)]).toEqual([[], []]);
    expect([await filesOf(cast), await filesOf(render)]).toEqual([['take-one'], ['audio', 'stem-0']]);
  });

  it('goes with its person, with the answers about it, and nothing of another tenant goes', async () => {
    const { storage, service, place, filesOf, rows } = await setup();
    const here = await place();
    const others: Awaited<ReturnType<typeof place>>[] = [];
    for (const scope of ELSEWHERE) others.push(await place(scope));
    const answered = {
      ...SEEDS.idempotent_answers('once', Date.now()),
      answer: JSON.stringify({ id: here.cast }),
    };
    await withinTenant(storage.db, HERE)
      .insertInto('idempotent_answers', answered as never)
      .execute();
    const person = { externalId: 'ann', until: Date.now() + 1 };
    const removed = await service.personalData.erase(HERE, person, noHolds);
    expect(removed).toMatchObject({ counts: { casts: 1 }, held: [] });
    expect([...removed.records].sort()).toEqual([here.cast, here.render].sort());
    expect([await filesOf(here.cast), await filesOf(here.render)]).toEqual([[], []]);
    expect(await rows()).toEqual([0, 0, 0, 0]);
    expect(
      await withinTenant(storage.db, HERE).selectFrom('idempotent_answers').selectAll().execute(),
    ).toEqual([]);
    for (const [at, { cast, render }] of others.entries()) {
      expect(await rows(ELSEWHERE[at])).toEqual([1, 1, 1, 1]);
      expect([await filesOf(cast), await filesOf(render)]).toEqual([['take-one'], ['audio', 'stem-0']]);
    }
  });
});
