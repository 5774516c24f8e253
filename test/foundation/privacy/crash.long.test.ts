// @requirement Privacy: Erasure issues a certificate, survives a kill and is replayed after a restore.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStorage, type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child-program.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { long } from '../../long-tests.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { erasuresOn, HERE, NOW, PERSON } from './crash-modules.ts';

/** The limit exceeds the number of statements; a run that survives shows that all were tried. */
const MOST_STATEMENTS = 80;
const STEP = long ? 1 : 3;

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/foundation/privacy/crash-program.ts');
}, 120_000);
afterAll(() => program?.remove());

const TABLES = ['omni_calls', 'trace_interactions', 'webhook_events'] as const;

async function recordsOf(storage: Storage, person: string): Promise<void> {
  const at = NOW - 1;
  const ids: string[] = [];
  const mine = withinTenant(storage.db, HERE);
  const call = { ...SEEDS.omni_calls('x', at), external_id: person };
  const judged = { ...SEEDS.trace_interactions('x', at), external_id: person };
  await mine.insertInto('omni_calls', call).execute();
  await mine.insertInto('trace_interactions', judged).execute();
  ids.push(call.id, judged.id);
  for (const resource of ids)
    await mine.insertInto('webhook_events', { ...SEEDS.webhook_events('x', at), resource }).execute();
}

async function counts(storage: Storage): Promise<number[]> {
  const found: number[] = [];
  for (const table of TABLES)
    found.push((await withinTenant(storage.db, HERE).selectFrom(table).selectAll().execute()).length);
  return found;
}

onBothDatabases('an erasure that is killed', (databases) => {
  it('is finished by the next start', { timeout: 240_000 }, async () => {
    const { options } = await databases.empty();
    const storage = await openStorage(options);
    databases.after(() => storage.close());
    await recordsOf(storage, 'bob');
    let at = 0;
    for (; at < MOST_STATEMENTS; at += STEP) {
      const folder = mkdtempSync(join(tmpdir(), 'killed-erasure-'));
      try {
        await recordsOf(storage, PERSON);
        const ended = await runChild(program, { storage: options, folder, at });
        if (ended.code !== 0) expect(ended).toMatchObject({ signal: 'SIGKILL', error: '' });
        const again = await erasuresOn(storage, folder);
        expect(await again.replay(), `killed before statement ${at}`).toBe(ended.code === 0 ? 0 : 1);
        expect(await counts(storage), `killed before statement ${at}`).toEqual([1, 1, 2]);
        expect(await again.replay()).toBe(0);
        if (ended.code === 0) break;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    expect(at).toBeGreaterThan(10);
    expect(at).toBeLessThan(MOST_STATEMENTS);
  });
});
