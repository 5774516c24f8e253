import { expect, it } from 'vitest';
import { CallAnalytics, CallReader, CallStore } from '../../../src/conversation/calls/index.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { type Databases, onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const NOW = 1_700_000_000_000;
const AGENT = 'agt_00000000000000000001';
const OTHER = 'agt_00000000000000000002';

type Step = readonly [node: string, leftBy: string | null, atMs?: number];
const pathOf = (...steps: Step[]) =>
  steps.map(([node, left_by, entered_at_ms = 0]) => ({ node, entered_at_ms, left_by, reason: null }));

async function open(databases: Databases) {
  const clock = new ManualClock(NOW);
  const storage = await databases.open();
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const sessions = new CallStore({
    storage,
    blobs: blobsIn(storage, clock),
    billing,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const principal = new OneKeyAccess().principal();
  const talk = async (turns: object, agentId = AGENT, version = 1) => {
    const id = newId('ocl');
    const start = {
      id,
      principal,
      sessionLabel: null,
      externalId: null,
      meta: null,
      agentId,
      agentVersion: version,
    };
    await sessions.open({ ...start, language: 'en', voiceId: 'v', voiceTier: 'standard' });
    await sessions.close(id, { ...ENDED, turns: { ...ENDED.turns, ...turns } });
  };
  const analytics = new CallAnalytics(storage, new CallReader(storage, billing.costs));
  const scope = tenantScopeOf(principal);
  const of = (more: object = {}) =>
    analytics.ofFlow(scope, { agentId: AGENT, version: null, from: NOW, to: NOW + 1_000, ...more });
  const foreign = tenantScopeOf({ ...principal, orgId: 'org_of_somebody_else' });
  return { clock, talk, of, analytics, scope, foreign };
}

onBothDatabases('the funnel of a flow', (databases) => {
  it('counts by node the calls that reached it, went on and ended there', async () => {
    const { talk, of } = await open(databases);
    await talk({ path: pathOf(['hello', 'intent'], ['ask', 'otherwise'], ['done', 'ended']) });
    await talk({ path: pathOf(['hello', 'global'], ['person', 'back'], ['hello', 'intent'], ['ask', null]) });
    await talk({ path: pathOf(['hello', null]) }, AGENT, 2);
    await talk({});
    await talk({ path: pathOf(['hello', null]) }, OTHER);
    const { calls, nodes, edges, truncated } = await of();
    expect([calls, truncated]).toEqual([3, false]);
    expect(nodes).toEqual([
      { node: 'hello', calls: 3, visits: 4, went_on: 2, ended: 1 },
      { node: 'ask', calls: 2, visits: 2, went_on: 1, ended: 1 },
      expect.objectContaining({ calls: 1 }),
      expect.objectContaining({ calls: 1 }),
    ]);
    expect(edges[0]).toEqual({ from: 'hello', to: 'ask', left_by: 'intent', calls: 2 });
    expect(edges).toContainEqual({ from: 'person', to: 'hello', left_by: 'back', calls: 1 });
    expect((await of({ version: 2 })).nodes).toEqual([
      { node: 'hello', calls: 1, visits: 1, went_on: 0, ended: 1 },
    ]);
  });

  it('counts of a call that another agent took over the part of the agent alone', async () => {
    const { talk, of } = await open(databases);
    const share = (agent_id: string, from_ms: number) => ({
      agent_id,
      agent_version: 1,
      from_ms,
      context: null,
    });
    await talk({
      path: pathOf(['hello', 'otherwise', 0], ['billing', null, 10], ['sums', null, 600]),
      agents: [share(AGENT, 0), share(OTHER, 500)],
    });
    expect((await of()).nodes.map(({ node }) => node)).toEqual(['hello', 'billing']);
  });

  it('counts a call that another agent began, by the steps of the agent', async () => {
    const { talk, of } = await open(databases);
    const share = (agent_id: string, agent_version: number, from_ms: number) => ({
      agent_id,
      agent_version,
      from_ms,
      context: null,
    });
    const agents = [share(OTHER, 7, 0), share(AGENT, 2, 500)];
    const [hello, billing, sums] = pathOf(['hello', null, 0], ['billing', null, 501], ['sums', null, 600]);
    const path = [
      { ...hello, agent_id: OTHER },
      { ...billing, agent_id: OTHER },
      { ...sums, agent_id: AGENT },
    ];
    await talk({ path, agents }, OTHER, 7);
    await talk({ path: [hello], refused: [{ node: 'hello', wanted: AGENT }] }, OTHER, 7);
    expect(await of()).toMatchObject({ calls: 1, nodes: [{ node: 'sums', calls: 1 }] });
    expect((await of({ version: 2 })).calls).toBe(1);
    expect((await of({ version: 7 })).calls).toBe(0);
    expect((await of({ agentId: OTHER, version: 7 })).nodes.map(({ node }) => node)).toEqual([
      'hello',
      'billing',
    ]);
  });

  it('leaves out calls of another time', async () => {
    const { talk, of, clock } = await open(databases);
    clock.advance(60_000);
    await talk({ path: pathOf(['hello', null]) });
    expect((await of()).calls).toBe(0);
    expect((await of({ to: NOW + 60_000 })).calls).toBe(1);
  });

  it('shows nothing of another organization', async () => {
    const { talk, analytics, scope, foreign } = await open(databases);
    await talk({ path: pathOf(['hello', null]) });
    const query = { agentId: AGENT, version: null, from: NOW, to: NOW + 1_000 };
    expect((await analytics.ofFlow(foreign, query)).calls).toBe(0);
    expect((await analytics.ofFlow(scope, query)).calls).toBe(1);
  });
});
