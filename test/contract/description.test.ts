// @requirement API contract: The description has examples, tags and the true security schemes.
// @requirement API contract: AsyncAPI describes each socket with examples and close codes.
// @requirement Hear: A stream answers `end` as described.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, describe, expect, it } from 'vitest';
import { operationsOf } from './operations.ts';
import { World } from './world.ts';

type Json = Record<string, unknown>;

const world = await World.open();
afterAll(() => world.stop());

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: 'openapi', ...(world.openapi as object) });

const check = (schema: object, example: unknown, what: string) => {
  const local = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'),
  ) as object;
  expect(ajv.validate(local, example), `${what}: ${ajv.errorsText()} ${JSON.stringify(example)}`).toBe(true);
};

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Record<string, { value: unknown }>;
}

const operations = operationsOf(world.openapi);
const rawOf = (path: string, method: string): Json =>
  (world.openapi.paths as Record<string, Record<string, Json>>)[path]![method.toLowerCase()]!;

describe.each(operations.map((one) => [one.name, one] as const))('%s', (_name, operation) => {
  const raw = rawOf(operation.path, operation.method);

  it('says what it is, whose it is, and what it answers', () => {
    expect(raw.summary).toEqual(expect.any(String));
    expect(String(raw.description).length).toBeGreaterThan(20);
    const tags = (world.openapi.tags as { name: string }[]).map(({ name }) => name);
    for (const tag of raw.tags as string[]) expect(tags).toContain(tag);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(response.headers).toHaveProperty('x-request-id');
      if (status !== '204' && !status.startsWith('3')) expect(response.content, status).toBeDefined();
      if (status === '429' || status === '503') expect(response.headers).toHaveProperty('Retry-After');
    }
  });

  it('has examples that its own schemas take', () => {
    const bodies = (raw.requestBody as { content?: Record<string, Media> })?.content ?? {};
    const answers = Object.values(operation.responses).map((one) => one.content as Record<string, Media>);
    for (const content of [bodies, ...answers]) {
      for (const [type, media] of Object.entries(content ?? {})) {
        const examples = [media.example, ...Object.values(media.examples ?? {}).map(({ value }) => value)];
        const given = examples.filter((one) => one !== undefined);
        if (/json$/.test(type) && !type.includes('ndjson')) expect(given.length, type).toBeGreaterThan(0);
        if (media.schema) for (const one of given) check(media.schema, one, `${operation.name} ${type}`);
      }
    }
  });
});

it('shows ids with the prefix of what they name', () => {
  const shown = (path: string, method: string) =>
    (rawOf(path, method).parameters as { example: unknown }[])[0]?.example;
  expect(shown('/v1/agents/{agent_id}', 'get')).toMatch(/^agt_/);
  expect(shown('/v1/knowledgebases/{id}', 'get')).toMatch(/^kb_/);
  expect(shown('/v1/telephony/calls/{call_id}', 'get')).toMatch(/^tcl_/);
  expect(shown('/v1/omni/calls/{call_id}', 'get')).toMatch(/^ocl_/);
  expect(shown('/v1/msgapp/numbers/{id}', 'get')).toMatch(/^wan_/);
  expect(shown('/v1/telephony/compliance-cases/{id}', 'get')).toMatch(/^ncc_/);
  expect(JSON.stringify(world.openapi)).not.toContain('"knowledge_base_4fT9');
});

it('names only security schemes that it has', () => {
  const schemes = (world.openapi.components as { securitySchemes: object }).securitySchemes;
  for (const { security } of operations) {
    for (const one of security) for (const name of Object.keys(one)) expect(schemes).toHaveProperty(name);
  }
});

it('says of every route that admits a use that it is metered', () => {
  const folder = join(import.meta.dirname, '../../src/edge/surfaces');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('routes.ts') && !name.endsWith('route.ts')) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    if (text.includes('request.admit(')) expect(text, name).toContain('meters: true');
  }
});

interface Channel {
  readonly address: string;
  readonly description: string;
  readonly messages: Record<
    string,
    { payload: object; examples?: { payload: unknown }[]; contentType: string }
  >;
  readonly bindings?: { ws: { query: { required?: string[] } } };
  readonly 'x-close-codes': Record<string, string>;
}
const asyncapi = (await world.send('/asyncapi.json')).json as { channels: Record<string, Channel> };

describe.each(Object.values(asyncapi.channels).map((one) => [one.address, one] as const))(
  'socket %s',
  (_address, channel) => {
    it('has examples that its frames’ schemas take, and says how it closes', () => {
      for (const [name, { payload, examples, contentType }] of Object.entries(channel.messages)) {
        if (contentType !== 'application/json') continue;
        expect(examples?.length, name).toBeGreaterThan(0);
        for (const one of examples ?? []) check(payload, one.payload, name);
      }
      expect(channel['x-close-codes']).toHaveProperty('1000');
      for (const code of ['1002', '1006', '1007', '1009'])
        expect(channel['x-close-codes']).toHaveProperty(code);
      for (const name of channel.bindings?.ws.query.required ?? [])
        expect(channel.description).toContain(name);
    });
  },
);

it('describes what Omni’s address must say', () => {
  const omni = Object.values(asyncapi.channels).find(({ address }) => address === '/v1/omni');
  expect(omni?.bindings?.ws.query.required).toEqual(['format', 'rate']);
});
