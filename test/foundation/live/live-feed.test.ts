// @requirement Console: The live feed is one WebSocket of the public API.

import { afterEach, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { LiveCalls, type LiveEvent, LiveFeed } from '../../../src/foundation/live/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { onBothDatabases } from '../storage/databases.ts';

const PRINCIPAL = { orgId: 'org_1', projectId: 'proj_1', environment: 'sandbox' } as const;
const CALL = { callId: 'ocl_1', principal: PRINCIPAL, agentId: 'agt_1', sessionLabel: null, language: 'en' };
const SCOPE = tenantScopeOf(PRINCIPAL);

onBothDatabases('what happens now', (databases) => {
  const feeds: LiveFeed[] = [];
  afterEach(() => {
    for (const feed of feeds.splice(0)) feed.stop();
  });

  async function open() {
    const storage = await databases.open();
    const onError = (error: unknown) => {
      throw error;
    };
    const feed = new LiveFeed({
      storage,
      clock: systemClock,
      background: new BackgroundTasks({ clock: systemClock }),
      onError,
    });
    feeds.push(feed);
    const heard: LiveEvent[] = [];
    const types = () => heard.map(({ type }) => type);
    return { storage, feed, calls: new LiveCalls(feed, systemClock), heard, types };
  }

  it('is told to who watches the place, and to nobody else', async () => {
    const { feed, calls, heard, types } = await open();
    const others: LiveEvent[] = [];
    for (const other of [
      { ...PRINCIPAL, orgId: 'org_2' },
      { ...PRINCIPAL, projectId: 'proj_2' },
      { ...PRINCIPAL, environment: 'live' as const },
    ])
      feed.subscribe(tenantScopeOf(other), (event) => others.push(event));
    feed.subscribe(SCOPE, (event) => heard.push(event));
    await expect.poll(() => feed.hasSubscribers(SCOPE)).toBe(true);
    const call = calls.begin(CALL);
    call.said('agent', 0, 'Hello', true);
    call.over('client_ended');
    call.over('client_ended');
    await expect.poll(types).toEqual(['call.began', 'call.said', 'call.over']);
    expect(heard[1]?.data).toEqual({
      call_id: 'ocl_1',
      role: 'agent',
      turn_id: 0,
      text: 'Hello',
      final: true,
    });
    expect(others).toEqual([]);
  });

  it('tells who comes later of the calls that go on', async () => {
    const { feed, calls, types } = await open();
    const heard: LiveEvent[] = [];
    calls.begin(CALL);
    calls.begin({ ...CALL, callId: 'ocl_2' }).over('client_ended');
    feed.subscribe(SCOPE, (event) => heard.push(event));
    await expect.poll(() => heard.map(({ data }) => data.call_id)).toEqual(['ocl_1']);
    expect(types()).toEqual([]);
  });

  it('tells what a transaction stores, and not what it does not', async () => {
    const { storage, feed, heard } = await open();
    feed.subscribe(SCOPE, (event) => heard.push(event));
    await expect.poll(() => feed.hasSubscribers(SCOPE)).toBe(true);
    const failing = storage.transaction(async (trx) => {
      await feed.publishIn(trx, SCOPE, 'dub.done', { id: 'lost' });
      throw new Error('not stored');
    });
    await expect(failing).rejects.toThrow('not stored');
    const long = 'x'.repeat(10_000);
    await storage.transaction((trx) => feed.publishIn(trx, SCOPE, 'dub.done', { id: 'dub_1', long }));
    await expect.poll(() => heard.map(({ data }) => data)).toEqual([{ id: 'dub_1' }]);
  });
});
