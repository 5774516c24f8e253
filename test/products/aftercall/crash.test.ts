// @requirement Post-call processing: `omni.call.extracted` holds a valid form or `missing`, and quotes the source of each field.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { acrossTenants, openStorage } from '../../../src/foundation/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child-program.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { long } from '../../long-tests.ts';
import { afterCallOn, callIn, GOOD, scripted } from './services.ts';

/** The limit exceeds the number of statements; a run that survives shows that all were tried. */
const MOST_STATEMENTS = 60;
const STEP = long ? 1 : 12;
/** The time exceeds a lease, and the delay after a lost worker. */
const LATER_MS = 3_600_000;

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/products/aftercall/crash-program.ts');
}, 120_000);
afterAll(() => program?.remove());

onBothDatabases('a call whose worker is killed', (databases) => {
  it('has its summary, its form and one event', { timeout: 300_000 }, async () => {
    const { options } = await databases.empty();
    const storage = await openStorage(options);
    databases.after(() => storage.close());
    let ahead = 0;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const services = afterCallOn(storage, clock, { model: scripted([GOOD]) });
    let kills = 0;
    let at = 0;
    for (let survived = false; !survived && at < MOST_STATEMENTS; at += STEP) {
      const id = await callIn(storage, services);
      const job = `aftercall ${id}`;
      for (let time = 0; time < 2 && !survived; time += 1) {
        ahead += LATER_MS;
        const ended = await runChild(program, { storage: options, job, at, ahead });
        if (ended.code !== 0) expect(ended).toMatchObject({ signal: 'SIGKILL', error: '' });
        else survived = time === 0;
        kills += ended.code === 0 ? 0 : 1;
      }
      ahead += LATER_MS;
      services.made.start();
      await expect.poll(() => services.queue.view(storage.db, job)).toBeNull();
      await services.made.stop(0);
      const db = acrossTenants(storage.db);
      const events = await db
        .selectFrom('webhook_events')
        .select('type')
        .where('resource', '=', id)
        .execute();
      expect(events, `killed before statement ${at}`).toEqual([{ type: 'omni.call.extracted' }]);
      const call = await db
        .selectFrom('omni_calls')
        .select(['summary_status', 'extraction_status'])
        .where('id', '=', id)
        .executeTakeFirst();
      expect(call).toEqual({ summary_status: 'success', extraction_status: 'success' });
    }
    const sent = await acrossTenants(storage.db).selectFrom('webhook_deliveries').select('id').execute();
    expect(sent).toHaveLength(at / STEP);
    expect(at).toBeGreaterThan(8);
    // A run that survives ends the loop.
    expect(kills).toBeGreaterThan((1.5 * (at - STEP)) / STEP);
    expect(at).toBeLessThan(MOST_STATEMENTS + STEP);
  });
});
