// @requirement Trace: A process that is killed before its transaction leaves nothing.
/**
 * Processes are killed while they judge and record a call: its verdict, its record and their events are stored once.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { acrossTenants, openStorage } from '../../../src/foundation/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child-program.ts';
import { inForm } from '../../faults/suite-length.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { callIn, configure, done, followingOn } from './ended-call-services.ts';

/** The limit exceeds the number of statements; a run that survives shows that all were tried. */
const MOST_STATEMENTS = 200;
/** The long form tries every statement, the short one some, both transactions among them. */
const STEP = inForm(24, 1);
/** The time exceeds a lease, and the delay after a lost worker. */
const LATER_MS = 3_600_000;

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/products/trace/crash-program.ts');
}, 120_000);
afterAll(() => program?.remove());

onBothDatabases('a call whose judge is killed', (databases) => {
  it('has one verdict and one record, and each is told of once', { timeout: 300_000 }, async () => {
    const { options } = await databases.empty();
    const storage = await openStorage(options);
    databases.after(() => storage.close());
    let ahead = 0;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const services = followingOn(storage, clock);
    await configure(services);
    let kills = 0;
    let at = 0;
    for (let survived = false; !survived && at < MOST_STATEMENTS; at += STEP) {
      const number = `+1212555${String(1000 + at)}`;
      const id = await callIn(storage, services, number);
      const ended = await runChild(program, { storage: options, call: id, at, ahead });
      if (ended.code !== 0) expect(ended).toMatchObject({ signal: 'SIGKILL', error: '' });
      survived = ended.code === 0;
      kills += survived ? 0 : 1;
      ahead += LATER_MS;
      for (const one of services.followings) one.start();
      await done(services, storage, id);
      for (const one of services.followings) await one.stop(0);
      const db = acrossTenants(storage.db);
      const place = `killed before statement ${at}`;
      const verdicts = await db
        .selectFrom('trace_interactions')
        .select('id')
        .where('source_id', '=', id)
        .execute();
      const records = await db.selectFrom('recap_calls').select('id').where('source_id', '=', id).execute();
      expect([verdicts.length, records.length], place).toEqual([1, 1]);
      const events = await db
        .selectFrom('webhook_events')
        .select(['type', 'resource'])
        .where('resource', 'in', [verdicts[0]!.id, records[0]!.id])
        .orderBy('type')
        .execute();
      expect(events, place).toEqual([
        { type: 'recap.call.completed', resource: records[0]!.id },
        { type: 'recap.complete', resource: records[0]!.id },
        { type: 'trace.interaction.evaluated', resource: verdicts[0]!.id },
      ]);
      const listed = await db
        .selectFrom('trace_suppressions')
        .select('interaction_id')
        .where('phone_number', '=', number)
        .execute();
      expect(listed, place).toEqual([{ interaction_id: verdicts[0]!.id }]);
    }
    const reported = await acrossTenants(storage.db).selectFrom('webhook_events').select('id').execute();
    expect(reported).toHaveLength(3 * (at / STEP));
    expect(kills).toBeGreaterThan(2);
    expect(at).toBeLessThan(MOST_STATEMENTS);
  });
});
