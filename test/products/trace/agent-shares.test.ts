/** A call that was handed from agent to agent is judged by the rules of each, and each answers for its own part. */
import { expect, it } from 'vitest';
import { withinTenant } from '../../../src/foundation/storage/index.ts';
import { extract, factsOf, sharesOf } from '../../../src/products/recap/index.ts';
import {
  callConversation,
  conversationOf,
  judging,
  type TraceSettings,
} from '../../../src/products/trace/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { openTrace } from './server.ts';

const HERE = scopeFor('org_a');
const place = { org_id: 'org_a', project_id: HERE.project, environment: HERE.environment };
const RECEPTION = 'agt_00000000000000000001';
const BILLING = 'agt_00000000000000000002';
const TRANSCRIPT = [
  { role: 'agent', turn_id: 0, text: 'Acme, good morning.', start_ms: 0, end_ms: 2000 },
  { role: 'user', turn_id: 1, text: 'It is about my bill.', start_ms: 2500, end_ms: 4000 },
  { role: 'agent', turn_id: 2, text: 'One moment, please.', start_ms: 4400, end_ms: 6000 },
  { role: 'agent', turn_id: 3, text: 'Billing. I will send the bill again.', start_ms: 8000, end_ms: 11_000 },
  { role: 'user', turn_id: 4, text: 'Is it right now?', start_ms: 11_200, end_ms: 12_000 },
  { role: 'agent', turn_id: 5, text: 'I guarantee it.', start_ms: 12_500, end_ms: 14_000 },
  { role: 'agent', turn_id: 6, text: 'Back at the desk. Goodbye.', start_ms: 16_000, end_ms: 18_000 },
];
const AGENTS = [
  { agent_id: RECEPTION, agent_version: 3, from_ms: 0, context: null },
  { agent_id: BILLING, agent_version: 1, from_ms: 7000, context: 'all' },
  { agent_id: RECEPTION, agent_version: 3, from_ms: 15_000, context: 'all' },
];

onBothDatabases('a call that several agents had', (databases) => {
  async function open(agents: readonly object[] = AGENTS) {
    const trace = await openTrace({ storage: await databases.open() });
    const row = {
      ...SEEDS.omni_calls('x', 1),
      agent_id: RECEPTION,
      agent_version: 3,
      duration_ms: 19_000,
      transcript: JSON.stringify(TRANSCRIPT),
      turns: JSON.stringify({ turns: [], degraded: [], agents }),
    };
    await withinTenant(trace.storage.db, HERE).insertInto('omni_calls', row).execute();
    const configure = async (agentId: string, change: Partial<TraceSettings>) =>
      await trace.settings.put(HERE, agentId, { ...(await trace.settings.of(HERE, null)), ...change });
    const judged = async () => {
      const { storage, blobs, queue, settings, packs, interactions } = trace;
      const following = judging({ storage, blobs, queue, settings, packs, interactions });
      await storage.transaction((trx) => following.ended(trx, { kind: 'call', id: row.id, ...place }));
      following.start();
      await expect.poll(async () => await queue.view(storage.db, `trace ${row.id}`)).toBeNull();
      await following.stop(0);
      const [head] = await interactions.list(HERE, {}, {}, null);
      return head === undefined ? null : await interactions.find(HERE, head.id);
    };
    const conversation = async () =>
      conversationOf((await callConversation(trace.storage.db as never, HERE, row.id, trace.blobs))!);
    return { ...trace, configure, judged, conversation };
  }

  it('gives each violation to the agent that had the call then, and says the share of each', async () => {
    const { configure, judged, results } = await open();
    await configure(BILLING, { enabled: true, rule_packs: [{ id: 'brand-voice' }] });
    await configure(RECEPTION, { enabled: true, rule_packs: [{ id: 'PII' }] });
    const found = await judged();
    expect(found?.rule_packs.map(({ pack_id }) => pack_id)).toEqual(['PII', 'brand-voice']);
    expect(found?.violations).toMatchObject([
      { rule_id: 'no-guarantees', agent_id: BILLING, agent_version: '1', start_ms: expect.any(Number) },
    ]);
    expect(found).toMatchObject({
      agent_id: RECEPTION,
      agents: [
        { agent_id: RECEPTION, from_ms: 0, to_ms: 7000, turns: 2, talk_ms: 3600, violations: 0 },
        { agent_id: BILLING, from_ms: 7000, to_ms: 15_000, turns: 2, talk_ms: 4500, violations: 1 },
        { agent_id: RECEPTION, from_ms: 15_000, to_ms: 19_000, turns: 1, talk_ms: 2000, violations: 0 },
      ],
    });
    expect(await results.exposure(HERE, ['agent'], {})).toMatchObject([{ agent_id: BILLING, violations: 1 }]);
    const listed = async (agent_id: string) =>
      (await results.list(HERE, 'violation', { agent_id }, {}, null)).length;
    expect([await listed(BILLING), await listed(RECEPTION)]).toEqual([1, 0]);
  });

  it('is listed for each agent that had a share of it', async () => {
    const { configure, judged, interactions } = await open();
    await configure(BILLING, { enabled: true, rule_packs: [{ id: 'brand-voice' }] });
    await judged();
    const listed = async (agent_id: string) =>
      (await interactions.list(HERE, { agent_id }, {}, null)).map((one) => one.agent_id);
    expect(await listed(RECEPTION)).toEqual([RECEPTION]);
    expect(await listed(BILLING)).toEqual([RECEPTION]);
    expect(await listed('agt_00000000000000000003')).toEqual([]);
    expect(await listed('agt_%')).toEqual([]);
  });

  it('is judged where the second agent alone is, and by nothing where none is', async () => {
    const { configure, judged } = await open();
    expect(await judged()).toBeNull();
    await configure(BILLING, { enabled: true, rule_packs: [{ id: 'brand-voice' }] });
    expect((await judged())?.verdict).toBe('violations');
  });

  it('says nothing of shares where one agent had it all', async () => {
    const { conversation, configure, judged } = await open([]);
    const one = await conversation();
    expect([one.agents, sharesOf(one, extract(one))]).toEqual([undefined, null]);
    await configure(RECEPTION, { enabled: true, rule_packs: [{ id: 'brand-voice' }] });
    const found = await judged();
    expect(found).not.toHaveProperty('agents');
    expect(found?.violations).toMatchObject([{ agent_id: RECEPTION, agent_version: '3' }]);
  });

  it('has in its recap who spoke how often and how long, answered how fast and promised what', async () => {
    const { conversation } = await open();
    const call = await conversation();
    expect(sharesOf(call, extract(call))).toEqual([
      {
        ...{ agent_id: RECEPTION, agent_version: '3', from_ms: 0, to_ms: 7000, turns: 2, talk_ms: 3600 },
        ...{ agent_response_ms: { p50: 400, p95: 400 }, promises: 0 },
      },
      {
        ...{ agent_id: BILLING, agent_version: '1', from_ms: 7000, to_ms: 15_000, turns: 2, talk_ms: 4500 },
        ...{ agent_response_ms: { p50: 500, p95: 500 }, promises: 1 },
      },
      {
        ...{
          agent_id: RECEPTION,
          agent_version: '3',
          from_ms: 15_000,
          to_ms: 19_000,
          turns: 1,
          talk_ms: 2000,
        },
        ...{ agent_response_ms: null, promises: 0 },
      },
    ]);
    expect(factsOf(call).talk_ratio.agent).toBeGreaterThan(0.7);
  });
});
