// @requirement Limits: An `Idempotency-Key` has 1 to 255 characters, and a different body answers 409.
import Type from 'typebox';
import { expect, it } from 'vitest';
import { IdempotencyStore } from '../../../src/edge/server/index.ts';
import type { Surface } from '../../../src/edge/server/surface.ts';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { OneKeyAccess } from './fixtures/access.ts';
import { bearer, start } from './fixtures/start.ts';

const DAY_MS = 24 * 3600 * 1000;
const access = { kind: 'key' } as const;
const body = Type.Object({ fails: Type.Optional(Type.Boolean()), text: Type.Optional(Type.String()) });
type Body = { fails?: boolean; text?: string };

const orders = (storage: Storage, queue: JobQueue): Surface => ({
  name: 'orders',
  routes: (app) => {
    for (const idempotent of ['optional', 'required'] as const) {
      app.post<{ Body: Body }>(`/v1/orders/${idempotent}`, {
        config: { access, idempotent },
        schema: { summary: 'Order', body, response: { 201: Type.Object({ id: Type.String() }) } },
        handler: async (request, reply) => {
          const { orgId } = request.caller();
          const answer = await request.once(async (keep) => {
            const id = newId('job');
            await storage.transaction(async (trx) => {
              await keep(trx, { id });
              await queue.enqueue(trx, { id, queue: 'orders', tenant: orgId, payload: null, maxAttempts: 1 });
              if (request.body.fails) throw new Error('half-way');
            });
            return { id };
          });
          return await reply.code(201).send(answer);
        },
      });
    }
  },
});

onBothDatabases('a request with an Idempotency-Key', ({ open, after }) => {
  async function serve() {
    const storage = await open();
    const clock = new ManualClock();
    const one = new OneKeyAccess();
    let place: Partial<Principal> = {};
    const principal = one.principal.bind(one);
    one.principal = (): Principal => ({ ...principal(), ...place });
    const answers = new IdempotencyStore(storage, clock);
    const surface = orders(storage, new JobQueue(storage, clock));
    const { url, server } = await start({
      surfaces: [surface],
      access: one,
      idempotencyStore: answers,
      clock,
    });
    after(() => server.close());
    const order = async (key: string | undefined, sent: object = {}, path = 'optional') => {
      const headers = { ...bearer, 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/orders/${path}`, {
        method: 'POST',
        headers: key === undefined ? headers : { ...headers, 'idempotency-key': key },
        body: JSON.stringify(sent),
      });
      const { id, error } = (await response.json()) as { id?: string; error?: { code: string } };
      return { status: response.status, id, code: error?.code };
    };
    const done = async () => (await storage.db.selectFrom('jobs').select('id').execute()).length;
    const as = (other: Partial<Principal>) => {
      place = other;
    };
    return { order, done, as, clock, answers, storage, server };
  }

  it('is done once, however often and at what moment it is sent', async () => {
    const { order, done } = await serve();
    const sent = await Promise.all([1, 2, 3, 4, 5].map(() => order('k', { text: 'a' })));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(await order('k', { text: 'a' })).toEqual(sent[0]);
    expect(await done()).toBe(1);
    expect((await order('other', { text: 'a' })).id).not.toBe(sent[0]?.id);
    expect((await order(undefined)).id).not.toBe((await order(undefined)).id);
    expect(await done()).toBe(4);
  });

  it('is refused with another body, and is another request on another route', async () => {
    const { order, done } = await serve();
    await order('k', { text: 'a' });
    expect(await order('k', { text: 'b' })).toMatchObject({ status: 409, code: 'idempotency_conflict' });
    expect(await order('k', { text: 'b' }, 'required')).toMatchObject({ status: 201 });
    expect(await done()).toBe(2);
  });

  // @requirement Tenant isolation: Idempotency keys are isolated between tenants.
  it('says nothing to another organization, project or environment', async () => {
    const { order, done, as } = await serve();
    const mine = await order('k', { text: 'a' });
    const others = [
      { orgId: 'org_b0000000000000000000' },
      { projectId: 'proj_b0000000000000000000' },
      { environment: 'live' as const },
    ];
    for (const [at, other] of others.entries()) {
      as(other);
      const theirs = await order('k', { text: 'another body' });
      expect(theirs).toMatchObject({ status: 201 });
      expect(theirs.id).not.toBe(mine.id);
      expect(await done()).toBe(at + 2);
    }
    as({});
    expect(await order('k', { text: 'a' })).toEqual(mine);
  });

  it('may be sent again when it failed', async () => {
    const { order, done } = await serve();
    expect(await order('k', { fails: true })).toMatchObject({ status: 500 });
    expect(await done()).toBe(0);
    expect(await order('k', { fails: false })).toMatchObject({ status: 201 });
  });

  it('is forgotten after a day', async () => {
    const { order, clock, answers, storage } = await serve();
    const first = await order('k');
    clock.advance(DAY_MS - 1);
    expect(await order('k')).toEqual(first);
    clock.advance(1);
    expect((await order('k')).id).not.toBe(first.id);
    clock.advance(DAY_MS);
    await answers.deleteExpired();
    expect(
      await storage.db
        .selectFrom('idempotent_answers' as never)
        .selectAll()
        .execute(),
    ).toEqual([]);
  });

  it('has a key of 1 to 255 characters, and must have one where the route demands it', async () => {
    const { order, server } = await serve();
    expect(await order('')).toMatchObject({ status: 400 });
    expect(await order('x'.repeat(256))).toMatchObject({ status: 400 });
    expect(await order('x'.repeat(255))).toMatchObject({ status: 201 });
    expect(await order(undefined, {}, 'required')).toMatchObject({ status: 400, code: 'invalid_request' });
    const { body: described } = await server.rest.inject('/openapi.json');
    const { parameters } = JSON.parse(described).paths['/v1/orders/required'].post;
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'idempotency-key', in: 'header', required: true }),
    );
  });
});

it('needs a place where answers are kept', async () => {
  const surface = orders(null as never, null as never);
  await expect(start({ surfaces: [surface] })).rejects.toThrow('has no idempotency store');
});
