/** Conversations that end are judged once, whatever dies between verdict and event. */

import { expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../src/access/index.ts';
import { LeaseLostError, type RunningJob, type Trx } from '../../src/jobs/index.ts';
import { acrossBorders, within } from '../../src/storage/index.ts';
import {
  interactionSweep,
  interactionsOfPersons,
  judging,
  redactedTranscript,
} from '../../src/trace/index.ts';
import { reachFor } from '../access/borders.ts';
import { SEEDS } from '../contract/seeds.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { openTrace } from './server.ts';

const HERE = reachFor('org_a');
const place = { org_id: 'org_a', project_id: HERE.project, environment: HERE.environment };
const TRANSCRIPT = [
  { role: 'agent', turn_id: 1, text: 'Hello, this is Ava from Harbor Dental.', start_ms: 0, end_ms: 3000 },
  { role: 'user', turn_id: 2, text: "Don't call me again.", start_ms: 3500, end_ms: 5000 },
];

onBothDatabases('a call that has ended', (databases) => {
  async function open() {
    const trace = await openTrace({ storage: await databases.open() });
    const { storage, queue, settings, packs, interactions } = trace;
    const following = judging({ storage, queue, settings, packs, interactions });
    await settings.put(HERE, null, {
      ...(await settings.of(HERE, null)),
      enabled: true,
      webhook_url: 'https://example.com/hook',
    });
    const row = {
      ...SEEDS.omni_calls('x', 1),
      external_id: '+12125550123',
      transcript: JSON.stringify(TRANSCRIPT),
    };
    await within(storage.db, HERE).insertInto('omni_calls', row).execute();
    await storage.transaction((trx) => following.ended(trx, { kind: 'call', id: row.id, ...place }));
    const rows = async () => ({
      interactions: await acrossBorders(storage.db).selectFrom('trace_interactions').selectAll().execute(),
      events: await acrossBorders(storage.db).selectFrom('webhook_events').select(['type', 'body']).execute(),
      suppressions: await acrossBorders(storage.db).selectFrom('trace_suppressions').selectAll().execute(),
    });
    return { ...trace, following, id: row.id, rows };
  }

  it('is judged by the worker, which tells of it once and takes the number off the calls to come', async () => {
    const { following, queue, storage, rows, id } = await open();
    following.start();
    await expect.poll(async () => await queue.view(storage.db, `trace ${id}`)).toBeNull();
    await following.stop(0);
    const { interactions, events, suppressions } = await rows();
    expect(interactions).toMatchObject([{ source_kind: 'call', source_id: id, external_id: '+12125550123' }]);
    expect(events.map(({ type }) => type)).toEqual(['trace.interaction.evaluated']);
    expect(JSON.parse(events[0]!.body).data.id).toBe(interactions[0]!.id);
    expect(suppressions).toMatchObject([
      { phone_number: '+12125550123', interaction_id: interactions[0]!.id },
    ]);
  });

  it('leaves nothing of a try that dies before its transaction is over', async () => {
    const { following, storage, rows, id } = await open();
    const dying: RunningJob = {
      id: `trace ${id}`,
      tenant: 'org_a',
      payload: { kind: 'call', id, ...place },
      attempt: 1,
      maxAttempts: 5,
      checkpoint: async () => {},
      postpone: async () => {},
      complete: async (store: (trx: Trx) => Promise<void>) =>
        await storage.transaction(async (trx) => {
          await store(trx);
          throw new LeaseLostError(id);
        }),
    };
    await expect(following.definition.run(dying, new AbortController().signal)).rejects.toThrow(
      LeaseLostError,
    );
    expect(await rows()).toEqual({ interactions: [], events: [], suppressions: [] });
  });

  it('is forgotten with its person, and its words when their time is over', async () => {
    const { following, queue, storage, rows, clock, id } = await open();
    following.start();
    await expect.poll(async () => await queue.view(storage.db, `trace ${id}`)).toBeNull();
    await following.stop(0);
    const sweep = interactionSweep({
      storage,
      clock,
      retention: async () => ({ ...DEFAULT_RETENTION, transcript: 365 }),
    });
    await sweep.sweep();
    expect((await rows()).interactions[0]!.document).not.toBeNull();
    clock.advance(366 * 86_400_000);
    await sweep.sweep();
    expect((await rows()).interactions[0]!.document).toBeNull();
    const person = { externalId: '+12125550123', until: clock.now() };
    const holding = interactionsOfPersons(storage);
    expect(await holding.erase(reachFor('org_b'), person, { among: async () => new Set() })).toMatchObject({
      records: [],
    });
    const removed = await holding.erase(HERE, person, { among: async () => new Set() });
    expect(removed.counts).toEqual({ interactions: 1 });
    const after = await rows();
    expect([after.interactions.length, after.suppressions.length]).toEqual([0, 1]);
  });
});

it('keeps transcripts without numbers that were said over several turns', () => {
  const said = ['My card is 4111 1111', 'yes', '1111 1111.'].map((text) => ({ role: 'user', text }));
  expect(JSON.stringify(redactedTranscript(said))).not.toMatch(/1111/);
  expect(redactedTranscript(said)[1]).toEqual({ role: 'user', text: expect.any(String) });
});
