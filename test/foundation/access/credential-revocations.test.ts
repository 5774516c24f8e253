// @requirement Authentication: A revoked key is refused on every node, and its live sessions close, within 60 s.

import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { type AccessService, createAccess } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { itWhere } from '../../long-tests.ts';
import { makeOrganization } from '../billing/organization.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { bearer, openService } from './access-service.ts';
import { DEPLOYMENT_SEALER } from './deployment-sealer.ts';

const ANY_KEY = { kind: 'key' } as const;
const GOAL_MS = 1_000;

interface Node {
  readonly access: AccessService;
  readonly storage: Storage;
}

onBothDatabases('revocation', (databases) => {
  const nodes: Node[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) {
      node.access.close();
      await node.storage.close();
    }
  });

  /** Two servers share one database; on SQLite the second stands for another process, such as the command line. */
  async function openNodes(clock: Clock = systemClock): Promise<[Node, Node]> {
    const { options } = await databases.empty();
    const open = async () => {
      const storage = await openStorage({ ...options, clock: systemClock });
      const background = new BackgroundTasks({ clock });
      const access = await createAccess({
        storage,
        billing: createBilling({ storage, clock, background }),
        clock,
        background,
        sealer: DEPLOYMENT_SEALER,
      });
      const node = { access, storage };
      nodes.push(node);
      return node;
    };
    return [await open(), await open()];
  }

  async function makeKey({ access, storage }: Node) {
    const organization = await makeOrganization(storage);
    return await access.keys.create({
      ...organization,
      name: 'test',
      environment: 'live',
      scopes: ['*'],
      budgetMicros: null,
      expiresAt: null,
      createdBy: null,
    });
  }

  async function live({ access }: Node, text: string) {
    const { principal } = await access.authorize(bearer(text), ANY_KEY);
    let unwatch = () => {};
    const dead = new Promise<number>((resolve) => {
      unwatch = access.watchRevocation(principal!, () => resolve(performance.now()));
    });
    return { dead, unwatch };
  }

  it('kills a key and its sessions at once on the node that revokes, and within a second on another', async () => {
    const [here, there] = await openNodes();
    const key = await makeKey(here);
    const sessions = [await live(here, key.text), await live(here, key.text), await live(there, key.text)];
    const began = performance.now();
    await here.access.keys.revoke(null, key.id);
    await expect(here.access.authorize(bearer(key.text), ANY_KEY)).rejects.toMatchObject({
      code: 'unauthorized',
    });
    for (const { dead } of sessions) expect((await dead) - began).toBeLessThan(GOAL_MS);
    await expect(there.access.authorize(bearer(key.text), ANY_KEY)).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });

  it('refuses the old secret of a rotated key on every node, and lets its sessions go on', async () => {
    const [here, there] = await openNodes();
    const key = await makeKey(here);
    let ended = false;
    const session = await live(there, key.text);
    void session.dead.then(() => {
      ended = true;
    });
    const rotated = await here.access.keys.rotate(null, key.id);
    await expect
      .poll(
        () =>
          there.access.authorize(bearer(key.text), ANY_KEY).then(
            () => 'allowed',
            (error) => error.code,
          ),
        {
          timeout: GOAL_MS,
        },
      )
      .toBe('unauthorized');
    await there.access.authorize(bearer(rotated.text), ANY_KEY);
    expect(ended).toBe(false);
  });

  it('calls back once, not after unwatching, and at once for a key that died while the session was opened', async () => {
    const [here] = await openNodes();
    const key = await makeKey(here);
    const { principal } = await here.access.authorize(bearer(key.text), ANY_KEY);
    const reported: string[] = [];
    here.access.watchRevocation(principal!, () => reported.push('stays'));
    here.access.watchRevocation(principal!, () => reported.push('left'))();
    await here.access.keys.revoke(null, key.id);
    await here.access.keys.revoke(null, key.id);
    expect(reported).toEqual(['stays']);
    here.access.watchRevocation(principal!, () => reported.push('late'));
    expect(reported).toEqual(['stays']);
    await Promise.resolve();
    expect(reported).toEqual(['stays', 'late']);
  });

  it('tells a session of its key’s expiry', async () => {
    const service = await openService(await databases.open());
    const key = await service.makeKey({ expiresAt: service.clock.now() + 40 * 86_400_000 });
    const { principal } = await service.access.authorize(bearer(key.text), ANY_KEY);
    let dead = 0;
    service.access.watchRevocation(principal!, () => {
      dead += 1;
    });
    service.clock.advance(40 * 86_400_000 - 1);
    expect(dead).toBe(0);
    service.clock.advance(1);
    expect(dead).toBe(1);
    service.access.close();
  });

  it('finds out by itself when no notice came', async () => {
    const service = await openService(await databases.open());
    const key = await service.makeKey();
    const { principal } = await service.access.authorize(bearer(key.text), ANY_KEY);
    const dead = new Promise<void>((resolve) => service.access.watchRevocation(principal!, resolve));
    // The update bypasses the module, so no node is notified.
    await service.storage.db
      .updateTable('api_keys')
      .set({ revoked_at: 1 })
      .where('id', '=', key.id)
      .execute();
    service.clock.advance(15_000);
    await dead;
    await expect(service.access.authorize(bearer(key.text), ANY_KEY)).rejects.toMatchObject({
      code: 'unauthorized',
    });
    service.access.close();
  });

  itWhere(databases.dialect === 'postgres')(
    'looks for itself when the listening connection was lost',
    async () => {
      const [here, there] = await openNodes();
      const key = await makeKey(here);
      const { dead } = await live(there, key.text);
      await here.storage.db.updateTable('api_keys').set({ revoked_at: 1 }).where('id', '=', key.id).execute();
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'trunkline listen' and datname = current_database()`.execute(here.storage.db);
      await dead;
    },
  );
});
