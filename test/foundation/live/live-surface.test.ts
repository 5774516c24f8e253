/** Every event has a reader whose scopes allow what the event contains. */

import { afterEach, expect, it } from 'vitest';
import { createLiveSurface } from '../../../src/edge/surfaces/live/index.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { EVENT_TYPES } from '../../../src/foundation/events/index.ts';
import { LIVE_EVENT_TYPES, LiveFeed } from '../../../src/foundation/live/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage } from '../../../src/foundation/storage/index.ts';

const PLACE = { orgId: 'org_1', projectId: 'proj_1', environment: 'sandbox' } as const;
const SCOPE = tenantScopeOf(PLACE);
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function watching(scopes: readonly string[]) {
  const storage = await openStorage({ dataDir: ':memory:' });
  const feed = new LiveFeed({
    storage,
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
    onError: (error) => Promise.reject(error),
  });
  undo.push(
    () => storage.close(),
    () => feed.stop(),
  );
  const [socket] = createLiveSurface(feed).sockets!;
  const heard: string[] = [];
  const accepted = socket!.accept({ principal: { ...PLACE, scopes } } as never) as {
    open(socket: object): unknown;
  };
  accepted.open({ send: (text: string) => heard.push(JSON.parse(text).type) });
  await expect.poll(() => feed.hasSubscribers(SCOPE)).toBe(true);
  return { feed, heard };
}

it('shows every event to a key with all scopes', async () => {
  const { feed, heard } = await watching(['*']);
  const all = [...LIVE_EVENT_TYPES, ...EVENT_TYPES];
  for (const type of all) feed.publish(SCOPE, type, { id: 'x' });
  await expect.poll(() => heard.length).toBe(all.length);
  expect(heard).toEqual(all);
});

it('shows extracted forms to keys that read calls, and billing events only to those that read billing', async () => {
  const { feed, heard } = await watching(['omni:read']);
  for (const type of ['billing.credit.low', 'omni.call.extracted', 'trace.x', 'unknown', 'omni.call.ended'])
    feed.publish(SCOPE, type, { id: 'x' });
  await expect.poll(() => heard.at(-1)).toBe('omni.call.ended');
  expect(heard).toEqual(['omni.call.extracted', 'omni.call.ended']);
});
