// @requirement API conventions: `PATCH` keeps what it does not name, and takes `null` where a field may be empty.
/** Every PATCH of the description gets null in each field: it removes the value, or the error names the field. */
import { afterAll, describe, expect, it } from 'vitest';
import type { ValidRequest } from './case.ts';
import { CASES } from './cases/index.ts';
import { checkAnswer, credential, sentOf, urlOf } from './checks.ts';
import { type DescribedOperation, operationsOf } from './operations.ts';
import { type Tenant, World } from './world.ts';

type Json = Record<string, unknown>;
const DIRECTION = {
  pace: 0.9,
  pitch: 1,
  melody: 1.2,
  energy_db: 2,
  emotion: 'warm',
  emphasis: ['there'],
  pause_before_ms: 200,
};
type Values = Readonly<Record<string, unknown>>;

/** Each nullable field has a value that is not its default. `undefined` means that none is available here. */
const OTHER: Readonly<Record<string, Values | ((tenant: Tenant) => Promise<Values>)>> = {
  'PATCH /v1/keys/{id}': { budget_micros: 1_000_000 },
  'PATCH /v1/members/{id}': async ({ projectId }) => ({ project_ids: [projectId] }),
  'PATCH /v1/agents/{agent_id}': async (tenant) => ({
    language: 'fr',
    persona: 'You sell tea.',
    greeting: 'Hello!',
    consent_line: 'This call is recorded.',
    recordings_enabled: true,
    voice_id: 'en1',
    voice: 'en1',
    voice_under_load: undefined,
    voice_instruct: undefined,
    barge_sensitivity: 'low',
    primary_speaker: true,
    denoise: ['recording'],
    vocabulary: ['Trunkline'],
    lookups: [{ name: 'customers', values: ['Schmidt', { value: 'Schmitt', id: 'c-2' }] }],
    extraction_schema: { type: 'object', properties: { day: { type: 'string' } } },
    extraction_webhook_url: 'https://example.com/hook',
    knowledge_base_ids: [await made(tenant, '/v1/knowledgebases', { name: 'Handbook' })],
    tool_ids: [await made(tenant, '/v1/tools', { name: 'order_status', kind: 'client' })],
    builtin_tools: ['end_call'],
    time_zone: 'Europe/Madrid',
    brain: undefined,
    voice_provider: 'local',
    recognizer: 'whisper-base',
    grounding: 'strict',
    phrases: { thinking: 'Let me look.' },
    idle: { times: 1 },
    'idle.ask_after_s': 30,
    'idle.times': 1,
    'idle.hang_up': false,
    max_duration_s: 600,
    call_back_when_lost: true,
    languages: ['es'],
    endpointing: 'patient',
    flow: { start: 'bye', nodes: [{ id: 'bye', type: 'end', say: 'Goodbye.' }], edges: [] },
    meta: { shop: 'north' },
  }),
  'PATCH /v1/tools/{tool_id}': {
    description: 'Asks for an order.',
    parameters: { type: 'object', properties: { order: { type: 'string' } } },
    url: undefined,
    headers: { Authorization: 'Bearer secret' },
    timeout_ms: 900,
    filler: 'One moment.',
    confirm: true,
    allow: undefined,
  },
  'PATCH /v1/telephony/numbers/{number_id}': async (tenant) => ({
    agent_id: await made(tenant, '/v1/agents', { name: 'Maya' }),
    settings: { consent_line: 'This call is recorded.', daily_spend_micros: 1000 },
    'settings.consent_line': 'This call is recorded.',
    'settings.amd': { mode: 'detect' },
    'settings.quiet_hours': { from: '21:00', to: '08:00', time_zone: 'Europe/Madrid' },
    'settings.daily_spend_micros': 1000,
    'settings.caller_id': undefined,
    'settings.amd.aggressiveness': 0.5,
    'settings.fallback.to': '+14155550123',
    'settings.fallback.text': 'We are closed.',
    'settings.route.url': 'https://example.com/route',
    'settings.route.to': '+14155550123',
    'settings.voicemail.greeting': 'Leave a message.',
    'settings.voicemail.max_duration_s': 60,
    'settings.voicemail.silence_s': 9,
    'settings.fallback': { kind: 'message', text: 'We are closed.' },
    'settings.route': { kind: 'voicemail' },
    'settings.voicemail': { greeting: 'Leave a message.' },
    'settings.record_after_transfer': true,
    'settings.webhook_url': 'https://example.com/hook',
  }),
  'PATCH /v1/telephony/campaigns/{campaign_id}': {
    windows: { from: '09:00', to: '17:00', time_zone: 'Europe/Madrid' },
    pacing: { concurrent: 2 },
    'pacing.concurrent': 2,
    'pacing.calls_per_minute': 7,
    'windows.days': [1, 2],
    'windows.time_zone': 'Europe/Madrid',
    retries: { attempts: 2, after_s: 600 },
    'retries.outcomes': ['busy'],
    amd: { mode: 'detect' },
    'amd.aggressiveness': 0.5,
    message: undefined,
    webhook_url: 'https://example.com/hook',
  },
  'PATCH /v1/telephony/compliance-cases/{id}': { phone_number: '+14155550123' },
  'PATCH /v1/integrations/destinations/{id}': {
    name: 'Orders',
    url: 'https://example.com/other',
    settings: undefined,
    filters: { 'recap.call.completed': { language: 'en' } },
  },
  'PATCH /v1/knowledgebases/{id}': { description: 'Of the shop.' },
  'PATCH /v1/cast/projects/{id}': {
    title: 'Another talk',
    language: 'es',
    script_format: undefined,
    speakers: undefined,
    pronunciations: [{ word: 'Trunkline', say: 'trunk line' }],
    external_id: 'cus_1',
  },
  'PATCH /v1/cast/projects/{id}/lines/{line_id}': {
    speaker: 'Somebody',
    voice: 'en1',
    chapter: 'The morning',
    note: 'Slowly.',
    direction: DIRECTION,
    ...Object.fromEntries(Object.entries(DIRECTION).map(([field, value]) => [`direction.${field}`, value])),
    seed: 7,
  },
  'PATCH /v1/audio/provenance/settings': { country: 'FR', marks: false },
  'PATCH /v1/trace/violations/{id}': { reason: undefined },
  'PATCH /v1/trace/findings/{id}': { reason: undefined },
};

const OTHER_FIELDS: Readonly<Record<string, object>> = {
  headers: { kind: 'webhook', url: 'https://example.com/orders' },
  'settings.amd.aggressiveness': { settings: { amd: { mode: 'detect', aggressiveness: 0.5 } } },
  'windows.days': { windows: { from: '09:00', to: '17:00', days: [1, 2] } },
  'windows.time_zone': { windows: { from: '09:00', to: '17:00', time_zone: 'Europe/Madrid' } },
  'retries.outcomes': { retries: { attempts: 2, after_s: 600, outcomes: ['busy'] } },
  'amd.aggressiveness': { amd: { mode: 'detect', aggressiveness: 0.5 } },
};

const world = await World.open();
afterAll(() => world.stop());

async function made({ key }: Tenant, path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { json } = await world.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return json?.id;
}

interface Field {
  readonly path: string;
  readonly takesNull: boolean;
}

const fieldsOf = (schema: Json, base = ''): Field[] =>
  Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([name, inner]) => {
    const path = base + name;
    const choice = (inner.anyOf ?? [inner]) as Json[];
    const takesNull =
      choice.some(({ type }) => [type].flat().includes('null')) ||
      ((inner.enum ?? []) as unknown[]).includes(null);
    const merged = choice.find((one) => one['x-merge-patch'] === true);
    return [{ path, takesNull }, ...(merged === undefined ? [] : fieldsOf(merged, `${path}.`))];
  });

const nested = (path: string, value: unknown): object =>
  path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value) as object;
/** An agent's `voice` is another name of `voice_id`. */
const at = (json: Json | undefined, path: string): unknown =>
  (json?.object === 'agent' && path === 'voice' ? 'voice_id' : path)
    .split('.')
    .reduce<unknown>((one, name) => (one as Json | null)?.[name], json);

const patches = operationsOf(world.openapi).filter(({ method, body }) => method === 'PATCH' && body);

const tried = patches.filter(({ name }) => CASES[name]?.cannotSucceed === undefined);

it('knows a value of every field that takes null', () => {
  const taken = (operation: DescribedOperation) =>
    fieldsOf(operation.body!).filter(({ takesNull }) => takesNull);
  const needed = tried.filter((operation) => taken(operation).length > 0);
  expect(Object.keys(OTHER).sort()).toEqual(needed.map(({ name }) => name).sort());
});

describe.each(tried.map((operation) => [operation.name, operation] as const))('%s', (name, operation) => {
  const one = CASES[name]!;
  const ours = credential(operation, world.ours);
  const send = async (good: ValidRequest, json: object) => {
    const asked = Object.fromEntries(
      ((operation.body!.required ?? []) as string[]).map((field) => [field, (good.json as Json)[field]]),
    );
    const sent = sentOf(operation, { ...good, json: { ...asked, ...json } }, ours);
    const answer = await world.send(urlOf(operation, good), sent);
    checkAnswer(operation, answer);
    return answer;
  };

  it.each(fieldsOf(operation.body!))('null in $path', async ({ path, takesNull }) => {
    const good = await one.good(world, world.ours);
    const fresh = await send(good, nested(path, null));
    if (!takesNull) {
      expect(fresh.status, fresh.text).toBe(400);
      expect(fresh.json).toMatchObject({ error: { param: path } });
      return;
    }
    const given = OTHER[name]!;
    const values = typeof given === 'function' ? await given(world.ours) : given;
    expect(Object.keys(values), 'a value of the field').toContain(path);
    const removes = (answer: typeof fresh) => {
      if (answer.status === 400) expect(answer.json).toMatchObject({ error: { param: path } });
      else expect(answer.status, answer.text).toBe(200);
      return answer.status === 200;
    };
    if (values[path] === undefined) {
      removes(fresh);
      return;
    }
    const set = await send(good, { ...nested(path, values[path]), ...OTHER_FIELDS[path] });
    expect(set.status, set.text).toBe(200);
    const again = await send(good, nested(path, values[path]));
    expect(at(again.json, 'version'), 'the same once more').toBe(at(set.json, 'version'));
    const removed = await send(good, nested(path, null));
    if (!removes(removed)) return;
    expect(at(set.json, path), 'it was set').not.toEqual(at(removed.json, path));
    expect(at(removed.json, path) ?? null).toEqual(at(fresh.json, path) ?? null);
  });
});
