import { expect, it, onTestFinished } from 'vitest';
import { CallAnalytics, CallReader } from '../../../../src/conversation/calls/index.ts';
import { createCallsSurface } from '../../../../src/edge/surfaces/calls/index.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { openStorage } from '../../../../src/foundation/storage/index.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

async function open() {
  const storage = await openStorage({ dataDir: ':memory:' });
  onTestFinished(() => storage.close());
  const clock = new ManualClock(NOW);
  const reader = new CallReader(
    storage,
    createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }).costs,
  );
  const access = new OneKeyAccess();
  const surfaces = [createCallsSurface(reader, new CallAnalytics(storage, reader), clock)];
  const { url } = await start({ access, surfaces });
  return async (query: string, of = 'calls') => {
    const authorization = `Bearer ${OneKeyAccess.KEY}`;
    const answer = await fetch(`${url}/v1/analytics/${of}${query}`, { headers: { authorization } });
    // biome-ignore lint/suspicious/noExplicitAny: an answer, and what refuses it.
    return { status: answer.status, body: (await answer.json()) as any };
  };
}

it('counts the last week by day unless another period is named', async () => {
  const get = await open();
  const { status, body } = await get('');
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'call_analytics', to: NOW, interval: 'day', group_by: 'agent' });
  expect(body.buckets).toHaveLength(7);
  const hours = await get(`?from=${NOW - 5 * HOUR_MS}&to=${NOW}&interval=hour&group_by=kind`);
  expect(hours.body.buckets.map(({ start: at }: { start: number }) => (at - NOW) / HOUR_MS)).toEqual([
    -5, -4, -3, -2, -1,
  ]);
});

it.each([
  [`?from=${NOW}&to=${NOW - 1}`, 'to'],
  ['?from=0&interval=hour', 'from'],
  ['?group_by=mood', 'group_by'],
  ['?interval=minute', 'interval'],
  ['?from=-1', 'from'],
])('refuses %s and names %s', async (query, param) => {
  const { status, body } = await (await open())(query);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 'invalid_request', param });
});

const AGENT = 'agt_00000000000000000001';

it('answers the funnel of a flow for the last week unless another period is named', async () => {
  const get = await open();
  const { status, body } = await get(`?agent_id=${AGENT}`, 'flows');
  expect([status, body]).toEqual([
    200,
    {
      ...{ object: 'flow_analytics', agent_id: AGENT, version: null, from: NOW - 168 * HOUR_MS, to: NOW },
      ...{ calls: 0, nodes: [], edges: [], truncated: false },
    },
  ]);
});

it.each([
  ['', 'agent_id'],
  ['?agent_id=somebody', 'agent_id'],
  [`?agent_id=${AGENT}&version=0`, 'version'],
  [`?agent_id=${AGENT}&from=${NOW}&to=${NOW - 1}`, 'to'],
])('refuses the funnel of %s and names %s', async (query, param) => {
  const { status, body } = await (await open())(query, 'flows');
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 'invalid_request', param });
});
