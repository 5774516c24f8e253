/**
 * Each surface gets its worst documents while `/healthz` is requested every 50 ms from another process. The server is
 * the program itself, with a live key. An answer counts by the time for which the server's main thread ran until
 * then; a wait for a CPU on a loaded machine does not count. The last lines are the longest answer of each surface.
 * TRUNKLINE_TEST_SEED selects other documents. TRUNKLINE_TEST_SURFACE runs only the surfaces whose name contains it.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withoutComponents } from '../../src/edge/server/surface.ts';
import { randomFrom } from '../../src/foundation/platform/seeded-random.ts';
import { compileProgram, dataFolder, Running } from '../running-server.ts';
import { HealthWatch } from './health-watch.ts';
import { ServerProcess } from './server-process.ts';
import { isLong, sampleOf } from './suite-length.ts';
import { RUNS, run, type Schema, Shaped, shapeless } from './worst-documents.ts';

const LONG = isLong;
const SEED = Number(process.env.TRUNKLINE_TEST_SEED ?? 45);
const ONLY = process.env.TRUNKLINE_TEST_SURFACE ?? '';
const LONGEST_MS = 250;
const JSON_BYTES = 1_000_000;
const LEAVES_MS = 60_000;
const LEFT = 499;
const LIMIT_MS = LONG ? 3_600_000 : 900_000;

let served: ServerProcess;
let watch: HealthWatch;
let key: string;

beforeAll(async () => {
  await compileProgram();
  const data = dataFolder();
  const environment = {
    TRUNKLINE_DATA: data,
    TRUNKLINE_CARRIER: 'loopback',
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    TRUNKLINE_MCP: 'true',
  };
  const command = async (...args: string[]) => {
    const running = new Running(args, environment);
    expect(await running.code(), running.errors).toBe(0);
    return running.lines.join('\n');
  };
  await command('plans', 'set', 'standard', '--rps', '10000', '--burst', '10000', '--concurrency', '1000');
  const made = await command('keys', 'create', '--live', '--scopes', '*', '--credit', '1000');
  key = /svc_live_\S+/.exec(made)![0];
  served = await ServerProcess.start({ data, environment });
  watch = await HealthWatch.of(served);
}, 300_000);
afterAll(() => watch?.stop());

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string | FormData;
}

async function send({ method, path, body }: Sent): Promise<{ status: number; text: string }> {
  const headers = new Headers({ authorization: `Bearer ${key}` });
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  const signal = AbortSignal.timeout(LEAVES_MS);
  try {
    const answer = await fetch(served.url + path, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    if (signal.aborted) return { status: LEFT, text: '' };
    throw error;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
async function json(method: string, path: string, body?: unknown): Promise<any> {
  const { status, text } = await send({
    method,
    path,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(status, text).toBeLessThan(300);
  return JSON.parse(text);
}

interface Driven {
  readonly surface: string;
  readonly document: string;
  readonly status: number;
  readonly ownMs: number;
  readonly tookMs: number;
}

const all: Driven[] = [];

async function drive(surface: string, document: string, sent: Sent): Promise<void> {
  const { result, answered } = await watch.during(() => send(sent));
  const { ownMs, tookMs, failed } = answered;
  expect(failed, `${surface}, ${document}`).toBeNull();
  all.push({
    surface,
    document,
    status: result.status,
    ownMs: Math.round(ownMs),
    tookMs: Math.round(tookMs),
  });
}

const expectServed = () => expect(all.filter(({ ownMs }) => ownMs > LONGEST_MS)).toEqual([]);

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
}

const wanted = (surface: string): boolean => surface.includes(ONLY);

it(
  'every route that reads JSON, by its schema',
  async () => {
    const known = {
      agent_id: (await json('POST', '/v1/agents', { name: 'A' })).id,
      tool_id: (await json('POST', '/v1/tools', { name: 'a', kind: 'client' })).id,
      knowledgebase_id: (await json('POST', '/v1/knowledgebases', { name: 'A' })).id,
    } as Record<string, string>;
    const described = (await (await fetch(`${served.url}/openapi.json`)).json()) as Record<string, unknown>;
    const { paths } = withoutComponents(described) as {
      paths: Record<string, Record<string, Operation>>;
    };
    for (const [path, methods] of sampleOf(Object.entries(paths), 3)) {
      for (const [name, operation] of Object.entries(methods)) {
        const schema = operation.requestBody?.content?.['application/json']?.schema;
        const method = name.toUpperCase();
        const surface = `${method} ${path}`;
        if (schema === undefined || !wanted(surface)) continue;
        const at = path.replace(/\{(\w+)\}/g, (_, id: string) => known[id] ?? 'x'.repeat(20));
        for (let nth = 0; nth < (LONG ? 20 : 1); nth++) {
          const body = JSON.stringify(new Shaped(randomFrom(SEED + nth), known).of(schema, JSON_BYTES));
          await drive(surface, `of its schema, ${nth}`, { method, path: at, body });
        }
        if (LONG || surface === 'POST /v1/agents')
          for (const [shape, body] of Object.entries(shapeless(JSON_BYTES)))
            await drive(surface, shape, { method, path: at, body });
      }
    }
    expectServed();
  },
  LIMIT_MS,
);

it(
  'conversations for Trace',
  async () => {
    const surface = 'POST /v1/trace/interactions';
    if (!wanted(surface)) return;
    const conversation = (count: number, unit: string, each: number) =>
      Array.from({ length: count }, (_, at) => ({
        speaker: at % 2 ? 'agent' : 'customer',
        text: run(unit, each),
        start_ms: at * 10,
        end_ms: at * 10 + 9,
      }));
    for (const unit of LONG ? RUNS : ['4111 1111 1111 1111 ', 'I guarantee it. ']) {
      for (const [count, each] of [
        [5_000, 50],
        [15, 19_900],
      ] as const) {
        const transcript = { language: 'en', turns: conversation(count, unit, each) };
        const sent = { method: 'POST', path: '/v1/trace/interactions', body: JSON.stringify({ transcript }) };
        await drive(surface, `${count} turns of ${JSON.stringify(unit)}`, sent);
      }
    }
    expectServed();
  },
  LIMIT_MS,
);

it(
  'rule packs',
  async () => {
    const many = (count: number, one: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => one(at)).join('\n');
    const common = (at: number) =>
      `id: r${at}, title: t, severity: low, source: {title: a, date: "2026-01-01"}`;
    const head = (version: number) =>
      `pack_id: a\nversion: 1.0.${version}\ntitle: a\njurisdiction: a\nlegal_status: a\nrules:\n`;
    const phrases = (rule: number) => many(15, (at) => `"do not say ${rule} ${at} ... ever",`);
    const turns = '[{agent: "do not say 1 1 I will ever"}]';
    const documents: Record<string, string> = {
      'many phrases':
        head(1) + many(200, (at) => `  - {${common(at)}, kind: phrase, phrases: {en: [${phrases(at)}]}}`),
      'many patterns':
        head(2) + many(200, (at) => `  - {${common(at)}, kind: regex, pattern: '(?:\\pL?){90}${at}'}`),
      'many examples':
        head(3) +
        many(
          100,
          (at) =>
            `  - {${common(at)}, kind: regex, pattern: 'ever', examples: [${run(`{turns: ${turns}, expect: hit},`, 50 * 66)}]}`,
        ),
      'no pack': run('- a\n', 499_000),
      'lists within lists': run('[', 499_000),
      aliases: `a: &a [1]\nb: [${run('*a,', 499_000)}]`,
      'many fields': many(45_000, (at) => `k${at}: 1`),
      'many anchors': many(30_000, (at) => `- &a${at} 1`),
      'a long scalar': `a: |\n${run('  b\n', 499_000)}`,
    };
    for (const [name, yaml] of sampleOf(Object.entries(documents), 3)) {
      const body = JSON.stringify({ yaml: yaml.slice(0, 500_000) });
      for (const path of ['/v1/trace/rule-packs', '/v1/trace/rule-packs/dry-run'])
        if (wanted(`POST ${path}`)) await drive(`POST ${path}`, name, { method: 'POST', path, body });
    }
    expectServed();
  },
  LIMIT_MS,
);

it(
  'targets of a campaign',
  async () => {
    const surface = 'POST /v1/telephony/campaigns/{campaign_id}/targets';
    if (!wanted(surface)) return;
    const { id: agent_id } = await json('POST', '/v1/agents', { name: 'A' });
    const free = await json('GET', '/v1/telephony/available-numbers?country=US&limit=1');
    const [{ phone_number }] = free.data;
    await json('POST', '/v1/telephony/numbers', { phone_number, agent_id });
    const table = (one: (at: number) => string, head = 'to,name') =>
      [head, ...Array.from({ length: 100_000 }, (_, at) => one(at))].join('\n');
    const to = (at: number) => `+1415555${String(at % 10_000).padStart(4, '0')}`;
    const columns = Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(',');
    const documents: Record<string, string> = {
      '100,000 targets': table((at) => `${to(at)},N${at}`),
      '100,000 targets with many words': table((at) => `${to(at)},${run('word ', 250)}`),
      'a last line that is wrong': table((at) => (at === 99_999 ? 'x,y' : `${to(at)},N`)),
      'one field of 30 MB': `to,name\n+14155550100,"${'a'.repeat(30_000_000)}"`,
      'lines without end': `to\n${'1\n'.repeat(15_000_000)}`,
      'many columns': `to,${columns}\n${`+14155550100,${'a,'.repeat(9_999)}\n`.repeat(1_000)}`,
      quotes: `to\n"${'""'.repeat(15_000_000)}"`,
    };
    for (const [name, csv] of sampleOf(Object.entries(documents), 3)) {
      const { id } = await json('POST', '/v1/telephony/campaigns', {
        name: 'a',
        from: phone_number,
        agent_id,
      });
      const body = new FormData();
      body.set('file', new Blob([csv]), 'targets.csv');
      await drive(surface, name, { method: 'POST', path: `/v1/telephony/campaigns/${id}/targets`, body });
    }
    expectServed();
  },
  LIMIT_MS,
);

afterAll(() => {
  const worst = new Map<string, Driven>();
  for (const one of all) if ((worst.get(one.surface)?.ownMs ?? -1) < one.ownMs) worst.set(one.surface, one);
  const lines = [...worst.values()]
    .sort((a, b) => b.ownMs - a.ownMs)
    .map(
      ({ surface, document, status, ownMs, tookMs }) =>
        `${String(ownMs).padStart(5)} ms (${tookMs} by the clock)  ${surface}: ${document}, ${status}`,
    );
  console.log(['the longest answer of /healthz, by surface:', ...lines].join('\n'));
});
