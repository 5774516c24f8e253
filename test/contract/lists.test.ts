// @requirement API conventions: Every list pages from newest to oldest by an opaque cursor.
// @requirement Limits: Every list takes a `limit` of 1 to 100.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acrossTenants, openStorage } from '../../src/foundation/storage/index.ts';
import { CASES } from './cases/index.ts';
import { checkSuccess, credential, sentOf, urlOf } from './checks.ts';
import { type DescribedOperation, operationsOf } from './operations.ts';
import { SEEDS } from './seeds.ts';
import { World } from './world.ts';

interface Described {
  readonly properties?: Readonly<Record<string, object>>;
}

const world = await World.open();
afterAll(() => world.stop());

const operations = operationsOf(world.openapi);
const pagesOf = ({ responses }: DescribedOperation): boolean => {
  const content = responses['200']?.content as Record<string, { schema: Described }> | undefined;
  return content?.['application/json']?.schema.properties?.next_cursor !== undefined;
};
/** Lists of vendors' surfaces page as their clients expect. */
const lists = operations.filter(
  (operation) =>
    operation.method === 'GET' && pagesOf(operation) && !/^\/(elevenlabs|deepgram)\//.test(operation.path),
);

/** Returns the possible states of a row, or null when it has no such field, or one that is no state. */
function statesOf({ responses }: DescribedOperation, name: string): readonly string[] | null {
  const content = responses['200']?.content as Record<string, { schema: Described }> | undefined;
  const data = content?.['application/json']?.schema.properties?.data as { items?: Described } | undefined;
  const field = data?.items?.properties?.[name] as { enum?: readonly string[] } | undefined;
  return field?.enum !== undefined && field.enum.length > 1 ? field.enum : null;
}

const UNFILTERED = ['/v1/billing/invoices', '/v1/integrations/destinations', '/v1/trace/rule-packs'];

const SHORT = [
  '/v1/amd/calls',
  '/v1/billing/invoices',
  '/v1/billing/usage',
  '/v1/integrations/zapier/hooks',
  '/v1/integrations/zapier/samples/{event}',
  '/v1/jobs/dead',
  '/v1/knowledgebases/{id}/crawls',
  '/v1/knowledgebases/{id}/gaps',
  '/v1/members',
  '/v1/trace/findings',
  '/v1/trace/violations',
  // Saving a designed voice takes seconds of synthesis: test/edge/surfaces/speak/design.long.test.ts pages through them.
  '/v1/voice/design',
];
const UNSHOWN = ['amd_calls', 'telephony_campaigns', 'trace_results'];
const MADE_BY: Readonly<Record<string, string>> = {
  '/auth/sessions': 'POST /auth/login',
  '/v1/agents/{agent_id}/versions': 'PATCH /v1/agents/{agent_id}',
};

beforeAll(async () => {
  const { orgId: org_id, projectId: project_id } = world.ours;
  const storage = await openStorage({ dataDir: world.data });
  for (const mark of ['first', 'second']) {
    for (const [table, rowOf] of Object.entries(SEEDS)) {
      if (UNSHOWN.includes(table)) continue;
      await acrossTenants(storage.db)
        .insertInto(table as 'omni_calls')
        .values({ ...rowOf(mark, Date.now()), org_id, project_id, environment: 'live' } as never)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
  await storage.close();
}, 60_000);

/** Names the rows, because a job changes between two requests. */
const named = (rows: readonly unknown[]): unknown[] =>
  rows.map((row) => {
    const { id, version } = row as { id?: unknown; version?: unknown };
    return id ?? version ?? row;
  });

async function make(list: DescribedOperation, path: Readonly<Record<string, string>>): Promise<void> {
  const one = operations.find(({ name }) => name === (MADE_BY[list.path] ?? `POST ${list.path}`));
  const own = one && CASES[one.name];
  if (one === undefined || own === undefined || own.needsModels || own.cannotSucceed) return;
  for (const _each of [1, 2]) {
    const good = { ...(await own.good(world, world.ours)), path };
    await world.send(urlOf(one, good), sentOf(one, good, credential(one, world.ours)));
  }
}

it('finds lists', () => expect(lists.length).toBeGreaterThan(30));

describe.each(lists.map((list) => [list.path, list] as const))('GET %s', (_path, list) => {
  it('takes limit and cursor', () => {
    const parameter = (name: string) =>
      list.parameters.find((one) => one.in === 'query' && one.name === name);
    expect(parameter('limit')?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 });
    expect(parameter('cursor')?.schema).toMatchObject({ type: 'string' });
  });

  it('takes the state of its rows as a filter', async () => {
    for (const name of ['status', 'state']) {
      const states = statesOf(list, name);
      if (states === null || UNFILTERED.includes(list.path)) continue;
      const filter = list.parameters.find((one) => one.in === 'query' && one.name === name);
      const values = (filter?.schema as { enum?: readonly string[] } | undefined)?.enum ?? [];
      expect([name, values.filter((value) => states.includes(value))]).not.toEqual([name, []]);
      const good = (await CASES[list.name]?.good(world, world.ours)) ?? {};
      for (const value of values) {
        const answer = await world.send(
          urlOf(list, good, { [name]: value, limit: '100' }),
          sentOf(list, good, credential(list, world.ours)),
        );
        checkSuccess(list, answer);
        const rows = (answer.json as { data: Record<string, unknown>[] }).data;
        expect(rows.map((row) => row[name])).toEqual(rows.map(() => value));
      }
    }
  });

  it('goes on with the next page where one ended', async () => {
    const good = (await CASES[list.name]?.good(world, world.ours)) ?? {};
    const ask = async (query: Record<string, string>) => {
      const answer = await world.send(
        urlOf(list, good, query),
        sentOf(list, good, credential(list, world.ours)),
      );
      checkSuccess(list, answer);
      return answer.json as { data: unknown[]; next_cursor: string | null };
    };
    if ((await ask({ limit: '2' })).data.length < 2) await make(list, good.path ?? {});
    const both = await ask({ limit: '2' });
    expect(both.data.length).toBe(SHORT.includes(list.path) ? Math.min(1, both.data.length) : 2);
    const first = await ask({ limit: '1' });
    expect(named(first.data)).toEqual(named(both.data.slice(0, 1)));
    if (both.data.length < 2) return expect(first.next_cursor).toBeNull();
    const second = await ask({ limit: '1', cursor: first.next_cursor as string });
    expect(named(second.data)).toEqual(named(both.data.slice(1)));
  });
});
