// @requirement Cast: Casts are isolated between tenants.
// @requirement Dub: Dubs follow retention and erasure, and are isolated between tenants.
// @requirement Tenant isolation: Every query is filtered by organization, project and environment, by type.
// @requirement Tenant isolation: Sockets answer another tenant's ids as unknown ones.
/**
 * Every route of the running product is called with the rows of another organization, another project and the other
 * environment. The rows come from every tenant table and the routes from the description, so new ones need no line
 * here.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acrossTenants, openStorage, type Storage } from '../../src/foundation/storage/index.ts';
import { inTurn } from '../long-tests.ts';
import type { ValidRequest } from './case.ts';
import { CASES } from './cases/index.ts';
import { checkAnswer, sentOf, urlOf } from './checks.ts';
import { credentialKind, type DescribedOperation, operationsOf } from './operations.ts';
import { SEEDS } from './seeds.ts';
import { kindOf, type Neighbour, nobodys, socketIsolation } from './socket-tenant-isolation.ts';
import { ValidRequests, WHOLE } from './valid-requests.ts';
import { type Answer, World } from './world.ts';

const world = await World.open();
const operations = operationsOf(world.openapi).filter((operation) => credentialKind(operation) === 'key');
const withId = operations.filter(({ path }) => path.includes('{'));
const without = operations.filter(({ path, method }) => !path.includes('{') && method === 'GET');

const ours = { org_id: world.ours.orgId, project_id: world.ours.projectId, environment: 'live' };
const neighbours: Neighbour[] = [
  {
    mark: 'mark-of-another-organization',
    place: { ...ours, org_id: world.theirs.orgId, project_id: world.theirs.projectId },
    ids: [],
  },
  { mark: 'mark-of-another-project', place: { ...ours, project_id: '' }, ids: [] },
  { mark: 'mark-of-the-other-environment', place: { ...ours, environment: 'sandbox' }, ids: [] },
];
/** The other organization, and in turn the other project or environment. */
const someNeighbours = (at: number): Neighbour[] => [
  ...neighbours.slice(0, 1),
  ...inTurn(neighbours.slice(1), 2, at),
];
const home: Neighbour = { mark: 'mark-of-our-own', place: ours, ids: [] };
const bearer = { authorization: `Bearer ${world.ours.key}` };

/** The rows are newer than all that the cases make, so they come first in every list. */
const SOON = 600_000;

let storage: Storage;
afterAll(async () => {
  await storage.close();
  await world.stop();
});

beforeAll(async () => {
  const made = await world.send('/v1/projects', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.session}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Second' }),
  });
  neighbours[1] = {
    ...(neighbours[1] as Neighbour),
    place: { ...ours, project_id: String(made.json?.id) },
  };
  storage = await openStorage({ dataDir: world.data });
  for (const one of [...neighbours, home]) await seed(one);
  unchanged = await Promise.all(neighbours.map(rowsOf));
});

let unchanged: unknown;

async function seed({ mark, place, ids }: Neighbour): Promise<void> {
  for (const [table, rowOf] of Object.entries(SEEDS)) {
    const row: Record<string, unknown> = { ...rowOf(mark, Date.now() + SOON), ...place };
    await acrossTenants(storage.db)
      .insertInto(table as 'omni_calls')
      .values(row as never)
      .execute();
    for (const name of ['id', 'candidate_id', 'record']) {
      if (typeof row[name] === 'string') ids.push(row[name]);
    }
  }
}

async function rowsOf({ place }: Neighbour): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const table of Object.keys(SEEDS) as (keyof typeof SEEDS)[]) {
    found[table] = await acrossTenants(storage.db)
      .selectFrom(table)
      .selectAll()
      .where('org_id', '=', place.org_id)
      .where('project_id', '=', place.project_id)
      .where('environment', '=', place.environment as 'live')
      .execute();
  }
  return found;
}

async function ask(operation: DescribedOperation, good: ValidRequest, id: string): Promise<Answer> {
  const path = operation.path.replace(/\{[^}]+\}/g, encodeURIComponent(id));
  const { headers: _own, ...rest } = good;
  return await world.send(path, sentOf(operation, rest, bearer));
}

/** Returns the ids of the requested kinds; the whole walk, and a request without such a kind, get all ids. */
function ofKinds(ids: readonly string[], kinds: ReadonlySet<string>): readonly string[] {
  const own = ids.filter((id) => kinds.has(kindOf(id)));
  return WHOLE || own.length === 0 ? ids : own;
}

it('has rows and routes to look at', () => {
  expect(withId.length).toBeGreaterThan(5);
  expect(without.length).toBeGreaterThan(5);
});

describe.each(withId.map((operation, at) => [operation.name, operation, at] as const))(
  '%s',
  (_name, operation, at) => {
    it('answers every id of another organization, project and environment as one that nobody has', async () => {
      const good = (await CASES[operation.name]?.good(world, world.ours)) ?? {};
      const kinds = new Set(Object.values(good.path ?? {}).map(kindOf));
      for (const neighbour of someNeighbours(at)) {
        for (const id of ofKinds(neighbour.ids, kinds)) {
          const answer = await ask(operation, good, id);
          checkAnswer(operation, answer);
          // A customer's own name for a person is no id: erasing a person without data removes nothing.
          if (!operation.path.endsWith('{external_id}')) expect([400, 404, 410]).toContain(answer.status);
          expect(answer.text).not.toContain(neighbour.mark);
        }
      }
      if (operation.method !== 'GET') expect(await Promise.all(neighbours.map(rowsOf))).toEqual(unchanged);
    });
  },
);

describe.each(without.map((operation) => [operation.name, operation] as const))('%s', (_name, operation) => {
  it('shows nothing of another organization, project and environment', async () => {
    const good = (await CASES[operation.name]?.good(world, world.ours)) ?? {};
    const answer = await world.send(operation.path, sentOf(operation, good, bearer));
    for (const { mark, ids } of neighbours) {
      expect(answer.text).not.toContain(mark);
      for (const id of ids) expect(answer.text).not.toContain(id);
    }
  });
});

/** The short walk tries these kinds of ids in a field; a field that is not listed gets an id of every kind. */
const HELD: Readonly<Record<string, readonly string[]>> = {
  agent_id: ['agt'],
  call_id: ['ocl', 'tcl', 'amd', 'wcall'],
  campaign_id: ['camp'],
  candidate_id: ['cand'],
  crawl_id: ['crawl'],
  default_voice: ['vc'],
  extraction_id: ['ext'],
  interaction_id: ['trace'],
  job_id: ['job'],
  knowledge_base_ids: ['kb'],
  number_id: ['num', 'wan'],
  pack_id: ['tpack'],
  tool_ids: ['tool'],
  voice: ['vc'],
  voice_id: ['vc'],
  voice_under_load: ['vc'],
};
/** These names hold what others gave, or no row of a customer. */
const NOT_OURS =
  /^(app_id|configuration_id|model_id|next_request_ids|phone_number_id|previous_request_ids|source|use_case|waba_id)$/;

const NAMES = /(^|_)(ids?|voice|voice_under_load|case|source)$/;
const fieldsOf = ({ body, parameters }: DescribedOperation): [place: 'json' | 'query', field: string][] => [
  ...Object.keys((body as { properties?: object } | undefined)?.properties ?? {}).map(
    (field): ['json', string] => ['json', field],
  ),
  ...parameters.filter(({ in: at }) => at === 'query').map(({ name }): ['query', string] => ['query', name]),
];
const naming = operations
  .filter(({ name }) => CASES[name]?.costly !== true)
  .flatMap((operation) =>
    fieldsOf(operation)
      .filter(([, field]) => NAMES.test(field) && (WHOLE || !NOT_OURS.test(field)))
      .map(([place, field]) => [`${operation.name} ${field}`, operation, place, field] as const),
  );

interface Named {
  readonly operation: DescribedOperation;
  readonly place: 'json' | 'query';
  readonly field: string;
  readonly goods: ValidRequests;
}

async function answerOf(
  { operation, place, field, goods }: Named,
  id: string,
): Promise<{ text: string; seen: unknown }> {
  const { headers: _own, ...good } = await goods.next();
  const value = field.endsWith('ids') && place === 'json' ? [id] : id;
  const asked: ValidRequest =
    place === 'json'
      ? { ...good, json: { ...(good.json as object), [field]: value } }
      : { ...good, query: { ...good.query, [field]: id } };
  const answer = goods.observe(await world.send(urlOf(operation, asked), sentOf(operation, asked, bearer)));
  checkAnswer(operation, answer);
  const { code, param } = (answer.json?.error ?? {}) as Record<string, unknown>;
  return { text: answer.text, seen: { status: answer.status, code, param } };
}

it('has fields to look at', () => {
  expect(naming.length).toBeGreaterThan(20);
});

describe.each(naming.map((each, at) => [...each, at] as const))(
  '%s',
  (_name, operation, place, field, at) => {
    it('takes a neighbour’s id as one that nobody has', async () => {
      const kinds = new Map<string, unknown>();
      const named = {
        operation,
        place,
        field,
        goods: new ValidRequests(world, world.ours, CASES[operation.name]),
      };
      for (const neighbour of someNeighbours(at)) {
        for (const id of ofKinds(neighbour.ids, new Set(HELD[field]))) {
          const kind = nobodys(id);
          if (!kinds.has(kind)) kinds.set(kind, (await answerOf(named, kind)).seen);
          const { text, seen } = await answerOf(named, id);
          expect(seen, id).toEqual(kinds.get(kind));
          const again = [id, encodeURIComponent(id), String(new URLSearchParams([['', id]])).slice(1)];
          expect(again.reduce((rest, name) => rest.replaceAll(name, ''), text)).not.toContain(neighbour.mark);
        }
      }
    });
  },
);

const CORRECT = 'POST /v1/telephony/compliance-cases/{id}/corrections';
// @requirement Compliance cases: Cases, uploads, extractions and corrections are isolated between tenants.
it('takes no part of a neighbour’s case into a case of our own, and answers as for one that nobody has', async () => {
  const operation = withId.find(({ name }) => name === CORRECT) as DescribedOperation;
  const answerOf: unknown[] = [];
  const parts = neighbours.flatMap(({ ids }) => ids.filter((id) => id.startsWith('ext_')));
  expect(parts.length).toBeGreaterThanOrEqual(neighbours.length);
  for (const extraction_id of ['ext_zzzzzzzzzzzzzzzzzzzz', ...parts]) {
    const good = (await CASES[CORRECT]?.good(world, world.ours)) as ValidRequest;
    const before = await Promise.all(neighbours.map(rowsOf));
    const json = { ...(good.json as object), extraction_id };
    const { status, json: said } = await world.send(
      operation.path.replace('{id}', String(good.path?.id)),
      sentOf(operation, { json }, bearer),
    );
    const { code, param, message } = (said as { error: Record<string, unknown> }).error;
    answerOf.push({ status, code, param, message });
    expect(await Promise.all(neighbours.map(rowsOf))).toEqual(before);
  }
  expect(answerOf[0]).toMatchObject({ status: 400, param: 'extraction_id' });
  for (const each of answerOf) expect(each).toEqual(answerOf[0]);
});

it('shows our own rows to us, so that tenant isolation is what hides the others', async () => {
  const shown = new Set<string>();
  for (const operation of without) {
    const answer = await world.send(operation.path, { headers: bearer });
    if (answer.text.includes(home.mark) || home.ids.some((id) => answer.text.includes(id)))
      shown.add(operation.name);
  }
  expect([...shown]).toEqual(
    expect.arrayContaining([
      'GET /v1/hear/vocabulary',
      'GET /v1/omni/calls',
      'GET /v1/speak/pronunciations',
      'GET /v1/transcription/jobs',
      'GET /v1/voice/clones',
      'GET /v1/webhooks/deliveries',
    ]),
  );
});

socketIsolation(world, home, neighbours);
