import { expect, it } from 'vitest';
import { LEASE_MS, NodeRegistry } from '../../../src/foundation/nodes/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';

onBothDatabases('leases of nodes', ({ dialect, open }) => {
  async function node(storage: Storage, clock: ManualClock, id: string) {
    const did: string[] = [];
    const registry = new NodeRegistry({ storage, clock, background: new BackgroundTasks({ clock }), id });
    registry.add({
      endLost: async () => did.push('ends lost calls'),
      takeBack: async () => void did.push('takes back'),
    });
    return { registry, did, sweep: () => registry.sweep() };
  }
  const lost = async (storage: Storage) => {
    const rows = await storage.db
      .selectFrom('nodes')
      .select('id')
      .where('is_lost', '=', 1)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  };
  async function renewFor(clock: ManualClock, ms: number, ...nodes: { sweep: () => Promise<void> }[]) {
    for (let passed = 0; passed <= ms; passed += 5_000) {
      for (const one of nodes) await one.sweep();
      clock.advance(5_000);
    }
  }

  it('take a node for lost that renewed none for a minute, which learns of it and takes its calls back', async () => {
    const [storage, clock] = [await open(), new ManualClock()];
    const frozen = await node(storage, clock, 'frozen');
    const lives = await node(storage, clock, 'lives');
    await frozen.sweep();
    await renewFor(clock, LEASE_MS, lives);
    await lives.sweep();
    expect(await lost(storage)).toEqual(['frozen']);
    expect((await lives.registry.list()).map(({ id, is_lost }) => [id, is_lost])).toEqual([
      ['lives', 0],
      ['frozen', 1],
    ]);
    expect(frozen.did).not.toContain('takes back');
    await frozen.sweep();
    expect(frozen.did).toContain('takes back');
    expect(lives.did).not.toContain('takes back');
    expect(await lost(storage)).toEqual([]);
    const times = frozen.did.length;
    await frozen.sweep();
    expect(frozen.did.slice(times)).not.toContain('takes back');
  });

  it('are judged by nobody until every node could renew after the database was away', async () => {
    const [storage, clock] = [await open(), new ManualClock()];
    const first = await node(storage, clock, 'first');
    const second = await node(storage, clock, 'second');
    await renewFor(clock, LEASE_MS, first, second);
    clock.advance(600_000);
    await first.sweep();
    expect(await lost(storage)).toEqual(dialect === 'postgres' ? [] : ['second']);
    await renewFor(clock, LEASE_MS, first, second);
    expect(await lost(storage)).toEqual([]);
    await renewFor(clock, 2 * LEASE_MS, first);
    expect(await lost(storage)).toEqual(['second']);
  });

  it('publish how many calls fit, so that a full node names the one with most free calls', async () => {
    const [storage, clock] = [await open(), new ManualClock()];
    const load = { first: 3, second: 5, third: 7 };
    const registries = (['first', 'second', 'third'] as const).map((id) => {
      const publicUrl = id === 'third' ? null : `https://${id}.example.com`;
      const registry = new NodeRegistry({
        storage,
        clock,
        background: new BackgroundTasks({ clock }),
        id,
        publicUrl,
      });
      registry.publish(() => ({ free: load[id], capacity: 10 }));
      return registry;
    });
    const [first, second] = registries as [NodeRegistry, NodeRegistry, NodeRegistry];
    const sweepAll = async () => {
      for (const registry of [...registries, ...registries]) await registry.sweep();
    };
    await sweepAll();
    expect(first.betterNode()).toBe('https://second.example.com');
    expect(second.betterNode()).toBe('https://first.example.com');
    expect(first.clusterFree()).toBe(15);
    load.first = 0;
    await sweepAll();
    expect(second.betterNode()).toBeNull();
    expect(second.clusterFree()).toBe(12);
    clock.advance(16_000);
    await first.sweep();
    expect(first.betterNode()).toBeNull();
    expect(first.clusterFree()).toBe(0);
  });

  it('end with their node, and are there before its first call', async () => {
    const [storage, clock] = [await open(), new ManualClock()];
    const { registry } = await node(storage, clock, 'one');
    const ids = async () => (await storage.db.selectFrom('nodes').select('id').execute()).map(({ id }) => id);
    await registry.start();
    expect(await ids()).toEqual(['one']);
    await registry.stop();
    expect(await ids()).toEqual([]);
  });
});
