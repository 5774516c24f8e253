// @requirement Fair use: Sandbox jobs wait while live keys have work.
import { expect, it } from 'vitest';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { pollDelay } from '../../poll.ts';
import { wavOf } from './signal-audio.ts';
import { type StageOptions, stage } from './stage.ts';

onBothDatabases('a sandbox key’s recordings', ({ open, after }) => {
  async function withSandboxKey(more: Partial<StageOptions> = {}) {
    let rest = () => {};
    const atRest = new Promise<void>((resolve) => {
      rest = resolve;
    });
    const waiting: AbortSignal[] = [];
    const liveAtRest = async (signal: AbortSignal) => {
      waiting.push(signal);
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await Promise.race([atRest, stopped]);
    };
    const storage = await open();
    const staged = await stage({ storage, after, concurrency: 1, liveAtRest, ...more });
    const as = async (environment: 'live' | 'sandbox') => {
      staged.access.environment = environment;
      return await staged.submitted(await staged.upload(wavOf(1)));
    };
    const endedAs = async (environment: 'live' | 'sandbox', id: string) => {
      staged.access.environment = environment;
      return await staged.ended(id);
    };
    const taken = async (count: number) => {
      while (waiting.length < count) await pollDelay();
    };
    const queueOf = (id: string) =>
      acrossTenants(storage.db)
        .selectFrom('jobs')
        .select('queue')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    return { ...staged, as, endedAs, taken, queueOf, rest };
  }

  it('wait until live work rests, and hold up no live key’s', async () => {
    const s = await withSandboxKey();
    const trial = await s.as('sandbox');
    await s.taken(1);
    const paid = await s.as('live');
    expect(await s.endedAs('live', paid.id)).toMatchObject({ status: 'completed', text: 'line 0' });
    expect(await s.queueOf(trial.id)).toMatchObject({ queue: 'transcription.trial' });
    expect(s.recognizer.asked).toHaveLength(1);
    s.rest();
    expect(await s.endedAs('sandbox', trial.id)).toMatchObject({ status: 'completed', text: 'line 0' });
  });

  it('leave the hands of live keys where an older version has queued them', async () => {
    const s = await withSandboxKey();
    await s.as('sandbox');
    await s.taken(1);
    const old = await s.as('sandbox');
    await acrossTenants(s.storage.db)
      .updateTable('jobs')
      .set({ queue: 'transcription' })
      .where('id', '=', old.id)
      .execute();
    const paid = await s.as('live');
    expect(await s.endedAs('live', paid.id)).toMatchObject({ status: 'completed' });
    while ((await s.queueOf(old.id)).queue !== 'transcription.trial') await pollDelay();
    s.rest();
    expect(await s.endedAs('sandbox', old.id)).toMatchObject({ status: 'completed' });
  });

  it('are given up at once when they are deleted while they wait', async () => {
    const s = await withSandboxKey();
    const trial = await s.as('sandbox');
    await s.taken(1);
    expect((await s.remove(trial.id)).status).toBeLessThan(300);
    const next = await s.as('sandbox');
    await s.taken(2);
    s.rest();
    expect(await s.endedAs('sandbox', next.id)).toMatchObject({ status: 'completed' });
  });
});
