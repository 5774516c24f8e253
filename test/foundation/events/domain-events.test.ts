import { expect, it } from 'vitest';
import { DomainEvent, DomainEvents } from '../../../src/foundation/events/index.ts';
import { onBothDatabases } from '../storage/databases.ts';

const NodeSeen = new DomainEvent<{ readonly id: string }>('node.seen');
const NodeGone = new DomainEvent<{ readonly id: string }>('node.gone');

onBothDatabases('domain events', ({ open }) => {
  it('reach their subscribers in order, inside the transaction that makes them true', async () => {
    const storage = await open();
    const events = new DomainEvents();
    const reported: string[] = [];
    events.subscribe(NodeSeen, async (trx, { id }) => {
      const row = { id, started_at: 1, seen_at: 1, fence: 1, is_lost: 0 };
      await trx.insertInto('nodes').values(row).execute();
      reported.push(`first ${id}`);
    });
    events.subscribe(NodeSeen, async (_trx, { id }) => void reported.push(`second ${id}`));
    events.subscribe(NodeGone, async (_trx, { id }) => void reported.push(`gone ${id}`));
    await storage.transaction((trx) => events.publish(trx, NodeSeen, { id: 'a' }));
    expect(reported).toEqual(['first a', 'second a']);
    expect(await storage.db.selectFrom('nodes').select('id').execute()).toEqual([{ id: 'a' }]);
  });

  it('undo what a subscriber cannot follow', async () => {
    const storage = await open();
    const events = new DomainEvents();
    events.subscribe(NodeGone, async () => {
      throw new Error('no');
    });
    const both = storage.transaction(async (trx) => {
      const row = { id: 'a', started_at: 1, seen_at: 1, fence: 1, is_lost: 0 };
      await trx.insertInto('nodes').values(row).execute();
      await events.publish(trx, NodeGone, { id: 'a' });
    });
    await expect(both).rejects.toThrow('no');
    expect(await storage.db.selectFrom('nodes').select('id').execute()).toEqual([]);
  });
});
