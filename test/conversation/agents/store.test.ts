// @requirement Agents: `/v1/agents` serves every field, versions, traffic shares and rollback, and isolates tenants.
import { describe, expect, it } from 'vitest';
import { completeFields } from '../../../src/conversation/agents/fields.ts';
import { AgentMemories, AgentStore, ToolStore } from '../../../src/conversation/agents/index.ts';
import { EMPTY_TOOL } from '../../../src/conversation/agents/tools/fields.ts';
import { Sealer } from '../../../src/foundation/access/index.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const ours = scopeFor('org_a');
const theirs = scopeFor('org_b');

onBothDatabases('agents', (databases) => {
  const open = async () => {
    const storage = await databases.open();
    const clock = new ManualClock();
    return { storage, clock, store: new AgentStore(storage, clock) };
  };

  describe('an agent', () => {
    it('keeps its versions, publishes any of them, and lets no save be lost', async () => {
      const { store } = await open();
      const made = await store.create(ours, completeFields({ name: 'A' }), false);
      const saves = await Promise.all(
        ['x', 'y'].map((persona) => store.save(ours, made, false, completeFields({ name: 'A', persona }))),
      );
      expect(
        saves.filter((saved) => saved === null),
        'one of two was on top of the other',
      ).toHaveLength(1);
      const now = await store.get(ours, made.id);
      expect(now).toMatchObject({ version: 2, publishedVersion: 2, latestVersion: 2 });
      const draft = await store.save(ours, now, true, completeFields({ name: 'A', persona: 'z' }));
      expect(draft).toMatchObject({ version: 3, publishedVersion: 2 });
      await store.share(ours, made.id, { '1': 30, '3': 70 });
      expect(await store.get(ours, made.id)).toMatchObject({
        publishedVersion: 3,
        traffic: { '1': 30, '3': 70 },
      });
      expect(await store.publish(ours, made.id, 1)).toMatchObject({ publishedVersion: 1, traffic: null });
      expect((await store.versions(ours, made.id)).map(({ version }) => version)).toEqual([3, 2, 1]);
    });

    it('is listed inside its tenant, in pages, newest first', async () => {
      const { store, clock } = await open();
      const ids: string[] = [];
      for (let number = 0; number < 3; number++) {
        ids.unshift((await store.create(ours, completeFields({ name: `${number}` }), false)).id);
        clock.advance(10);
      }
      const other = await store.create(theirs, completeFields({ name: 'B' }), false);
      const first = await store.list(ours, { limit: 1 }, null);
      expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      const rest = await store.list(ours, { limit: 5 }, { createdAt: first[0]!.createdAt, id: first[0]!.id });
      expect(rest.map(({ id }) => id)).toEqual(ids.slice(1));
      expect(await store.find(ours, other.id)).toBeNull();
      expect(await store.delete(ours, other.id)).toBe(false);
      expect(await store.delete(theirs, other.id)).toBe(true);
      expect(await store.versions(theirs, other.id)).toEqual([]);
    });
  });

  it('stores tools sealed, inside their tenant', async () => {
    const { storage, clock } = await open();
    const tools = new ToolStore(storage, clock, new Sealer(Buffer.alloc(32, 3), 't'));
    const fields = { ...EMPTY_TOOL, name: 'a', kind: 'webhook' as const, headers: { 'x-key': 'word' } };
    const { id } = await tools.create(ours, fields);
    expect((await tools.get(ours, id)).fields).toEqual(fields);
    expect(await tools.among(theirs, [id])).toEqual([]);
    await expect(tools.save(theirs, id, fields)).rejects.toThrow('no such tool');
    expect(await tools.delete(theirs, id)).toBe(false);
    expect(await tools.delete(ours, id)).toBe(true);
  });

  it('memories are of one person and one agent, the newest twenty, until they are erased', async () => {
    const { storage, clock } = await open();
    const memories = new AgentMemories(storage, clock);
    for (let number = 0; number < 23; number++) {
      clock.advance(1);
      await memories.add(ours, 'agt_1', 'ann', `fact ${number}`);
    }
    await memories.add(ours, 'agt_2', 'ann', 'elsewhere');
    await memories.add(theirs, 'agt_1', 'ann', 'not ours');
    const known = await memories.of(ours, 'agt_1', 'ann');
    expect([known.length, known[0], known.at(-1)]).toEqual([20, 'fact 3', 'fact 22']);
    expect(await memories.dataSubjectsOf(ours)).toEqual(['ann']);
    const until = clock.now();
    expect((await memories.erase(ours, { externalId: 'ann', until })).counts).toEqual({ memories: 21 });
    expect(await memories.of(theirs, 'agt_1', 'ann')).toEqual(['not ours']);
  });
});
