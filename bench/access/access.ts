// npm run bench -- access: measures what access control costs a request, how fast a revoked key stops working, and
// how many usage events a second are recorded.
import { sql, type Transaction } from 'kysely';
import { loadKey } from '../../src/foundation/access/key-cache.ts';
import type { Tables } from '../../src/foundation/storage/index.ts';
import { barPlot, median, type Report, repeatInterleaved, repeatRuns, runBench } from '../harness/index.ts';
import {
  eventOf,
  makeKey,
  type Node,
  openNode,
  postgresBackend,
  presenting,
  type StorageBackend,
  sqliteBackend,
} from './nodes.ts';

const SCOPE = { kind: 'key', scope: 'hear:stream' } as const;

/** Returns the microseconds of one call: the median of runs of `count` calls one after another. */
async function microseconds(count: number, call: () => Promise<unknown>): Promise<number> {
  const sample = await repeatRuns(
    async () => {
      const began = performance.now();
      for (let index = 0; index < count; index += 1) await call();
      return ((performance.now() - began) * 1000) / count;
    },
    { runs: 7, warmup: 2 },
  );
  return sample.median;
}

async function routeCosts(report: Report, node: Node, count: number): Promise<void> {
  report.heading('At the door');
  const key = await makeKey(node);
  const good = presenting(key.text);
  const forged = presenting(`${key.text.slice(0, -1)}${key.text.endsWith('a') ? 'b' : 'a'}`);
  const shapeless = presenting('x'.repeat(72));
  const refused = (attempt: typeof good) => () => node.access.authorize(attempt, SCOPE).catch(() => null);
  const costs = {
    'a good key': await microseconds(count, () => node.access.authorize(good, SCOPE)),
    'a forged key (right shape, wrong checksum)': await microseconds(count, refused(forged)),
    'garbage (wrong shape)': await microseconds(count, refused(shapeless)),
  };
  const lookUp = await microseconds(count / 10, () =>
    loadKey(node.storage.db, node.access.entitlements, 'key_00000000000000000000'),
  );
  for (const [name, value] of Object.entries(costs)) {
    report.figure({
      name: `authorize ${name}`,
      value,
      unit: 'us',
      goal: { atMost: 100 },
      ...(name === 'a good key'
        ? {}
        : { peer: 'the look-up that the checksum saves (SQLite)', peerValue: lookUp }),
    });
  }
  report.text(
    'Each call computes the checksum of the key (one HMAC-SHA-512); a refusal also builds the error with its stack. ' +
      'The peer is what a refused key would cost more, were there no checksum.',
  );
  const { principal } = await node.access.authorize(good, SCOPE);
  await node.billing.addCredit({ orgId: key.orgId, amountMicros: 1_000_000 });
  const admit = await microseconds(count / 10, () =>
    node.access.admit(principal as NonNullable<typeof principal>, 'hear.stream', { realtime: false }),
  );
  report.figure({ name: 'admit (caps, budget, credit; SQLite)', value: admit, unit: 'us' });
}

async function redisCost(report: Report, place: StorageBackend, count: number): Promise<void> {
  const redisUrl = process.env.TRUNKLINE_TEST_REDIS_URL;
  if (!redisUrl) {
    report.text('No Redis was there: the cost of shared limits was not measured.');
    return;
  }
  const node = await openNode(place, redisUrl);
  const key = await makeKey(node);
  const good = presenting(key.text);
  const value = await microseconds(count / 10, () => node.access.authorize(good, SCOPE));
  report.figure({ name: 'authorize a good key, limits in Redis', value, unit: 'us' });
  await node.close();
}

async function revocationDelay(there: Node, here: Node): Promise<number> {
  const key = await makeKey(here);
  const { principal } = await there.access.authorize(presenting(key.text), SCOPE);
  const dead = new Promise<number>((resolve) => {
    there.access.watchRevocation(principal as NonNullable<typeof principal>, () =>
      resolve(performance.now()),
    );
  });
  const began = performance.now();
  const revoked = here.access.keys.revoke(null, key.id);
  const delay = (await dead) - began;
  await revoked;
  const after = await there.access.authorize(presenting(key.text), SCOPE).then(
    () => 'allowed',
    () => 'refused',
  );
  if (after !== 'refused')
    throw new Error('a key was still good after its session had been told of its death');
  return delay;
}

async function revocation(report: Report, places: readonly StorageBackend[], runs: number): Promise<void> {
  report.heading('Revocation');
  const groups: { label: string; values: number[]; goal: number }[] = [];
  for (const place of places) {
    const [here, there] = [await openNode(place), await openNode(place)];
    for (const [where, node] of [
      ['one node', here],
      [place.name === 'SQLite' ? 'another process on the file' : 'two nodes', there],
    ] as const) {
      const delays: number[] = [];
      for (let run = 0; run < runs; run += 1) delays.push(await revocationDelay(node, here));
      report.figure({
        name: `revocation, ${place.name}, ${where}: median`,
        value: median(delays),
        unit: 'ms',
      });
      report.figure({
        name: `revocation, ${place.name}, ${where}: worst of ${runs}`,
        value: Math.max(...delays),
        unit: 'ms',
        goal: { atMost: 1000 },
      });
      groups.push({
        label: `${place.name}, ${where}`,
        values: [median(delays), Math.max(...delays)],
        goal: 1000,
      });
    }
    await here.close();
    await there.close();
  }
  report.text(
    'From the call that revokes until the live session is told, the commit included; the key is refused from then on. ' +
      'PostgreSQL carries the notice; on SQLite another process sees it at the next look at the file, every 200 ms.',
  );
  report.plot(
    'revocation',
    'Revocation delay',
    barPlot({ title: 'Revocation delay', unit: 'ms', series: ['median', 'worst'], groups }),
  );
}

async function throughput(writers: number, total: number, write: () => Promise<void>): Promise<number> {
  let left = total;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (left > 0) {
        left -= 1;
        await write();
      }
    }),
  );
  return (total * 1000) / (performance.now() - began);
}

/**
 * Records with the organization's sum in the same transaction, for comparison. The isolation is read committed, so
 * that writers on PostgreSQL wait for the row; serializable transactions of eight writers use up the retries and
 * fail.
 */
async function recordWithSum(node: Node, event: ReturnType<typeof eventOf>): Promise<void> {
  const task = async (transaction: Transaction<Tables>) => {
    await node.billing.recordUsage(transaction, event);
    await sql`insert into usage_totals (subject, period, meter, environment, milliseconds, call_minutes, calls)
      values (${event.orgId}, '2000-01', 'hear', 'live', ${event.milliseconds}, 0, 0)
      on conflict (subject, period, meter, environment)
      do update set milliseconds = usage_totals.milliseconds + excluded.milliseconds`.execute(transaction);
  };
  await node.storage.transaction(task, { isolation: 'read committed' });
}

async function recording(report: Report, places: readonly StorageBackend[], total: number): Promise<void> {
  report.heading('Usage events');
  for (const place of places) {
    const node = await openNode(place);
    const key = await makeKey(node);
    const append = () =>
      node.storage.transaction((transaction) => node.billing.recordUsage(transaction, eventOf(key)));
    for (const writers of [1, 8]) {
      const rates = await repeatInterleaved(
        {
          appended: () => throughput(writers, total, append),
          summed: () => throughput(writers, total, () => recordWithSum(node, eventOf(key))),
        },
        { runs: 3, warmup: 1 },
      );
      report.figure({
        name: `recorded, ${place.name}, ${writers} writer${writers > 1 ? 's' : ''}`,
        value: rates.appended.median,
        unit: 'events/s',
        peer: 'the same with the sum kept in the transaction',
        peerValue: rates.summed.median,
      });
    }
    const began = performance.now();
    await node.billing.flush();
    const { count } = await node.storage.db
      .selectFrom('usage_events')
      .select(sql<number>`count(*)`.as('count'))
      .executeTakeFirstOrThrow();
    report.figure({
      name: `rolled up, ${place.name}`,
      value: (count * 1000) / (performance.now() - began),
      unit: 'events/s',
    });
    await node.close();
  }
  report.text(
    'All events are one organization’s, each in a transaction of its own that is on disk when it is answered. ' +
      'Writers append only; the roll-up adds up later, in batches. The peer shows why: writers that keep a sum wait for each other.',
  );
}

async function signIn(report: Report, node: Node): Promise<void> {
  report.heading('Sign-in');
  await node.access.accounts.signUp({ email: 'bench@example.com', password: 'the right one' }, '203.0.113.7');
  const attempt = (email: string) => () =>
    node.access.sessions.signIn(email, 'a wrong one').catch(() => null);
  const rates = await repeatInterleaved(
    {
      known: async () => (await microseconds(1, attempt('bench@example.com'))) / 1000,
      unknown: async () => (await microseconds(1, attempt('nobody@example.com'))) / 1000,
    },
    { runs: 5, warmup: 1 },
  );
  report.figure({ name: 'sign-in with a wrong password', value: rates.known.median, unit: 'ms' });
  report.figure({
    name: 'sign-in with an unknown e-mail',
    value: rates.unknown.median,
    unit: 'ms',
    peer: 'a wrong password',
    peerValue: rates.known.median,
  });
}

await runBench('access', 'Access and billing', async (report, { quick }) => {
  const embedded = sqliteBackend();
  const cluster = await postgresBackend();
  const places = cluster === null ? [embedded] : [embedded, cluster];
  // The modules' timers never keep a process alive, and nothing else does here.
  const alive = setInterval(() => {}, 1000);
  if (cluster === null) report.text('No PostgreSQL was there: only SQLite was measured.');
  try {
    const node = await openNode(embedded);
    await routeCosts(report, node, quick ? 500 : 5000);
    await redisCost(report, embedded, quick ? 500 : 5000);
    await revocation(report, places, quick ? 3 : 20);
    await recording(report, places, quick ? 50 : 400);
    await signIn(report, node);
    await node.close();
  } catch (error) {
    // The error is printed before the databases close, which ends the connections of the nodes that are still open.
    console.error(error);
    process.exit(1);
  } finally {
    clearInterval(alive);
    await embedded.remove();
    await cluster?.remove();
  }
});
