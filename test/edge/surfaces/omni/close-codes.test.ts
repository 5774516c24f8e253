// @requirement Omni: Control frames hold up to 256 kB, and a refused `configure` ends the call.
// @requirement Omni: A session closes with 4401, 4403, 4429, 1011 or 1013.
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { OMNI_CLOSE_CODES } from '../../../../src/edge/surfaces/omni/close-codes.ts';
import { ApiError } from '../../../../src/foundation/platform/errors.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { omni } from '../../../../src/media/wire/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';
import { recordOf } from './fault-helpers.ts';
import { absent, Client, openOmni, VOICE } from './server.ts';

function changing(code: 'daily_cap_exceeded' | 'forbidden' | 'origin_not_allowed'): OneKeyAccess {
  const access = new OneKeyAccess();
  const admit = access.admit;
  access.admit = async (...args) => ({
    ...(await admit(...args)),
    recheck: async () => {
      throw new ApiError(code, 'not any more');
    },
  });
  return access;
}

describe.skipIf(Boolean(absent))('a call whose credential changes', () => {
  it('closes with 4401 when it is revoked, and what was served is billed', { timeout: 60_000 }, async () => {
    const opened = await openOmni();
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure();
    await client.silence(0.2);
    opened.access.revoke();
    expect(await client.closed()).toBe(4401);
    const record = await recordOf(opened, id);
    expect(record).toMatchObject({ status: 'completed', end_reason: 'credential_revoked' });
    expect(record.billed).toBeGreaterThan(0);
    expect(client.controls.at(-1)).toEqual({
      event: 'ended',
      reason: 'credential_revoked',
      duration_s: record.billed / 1000,
    });
  });

  it.each([
    ['daily_cap_exceeded', 4429, 'cap_reached'],
    ['forbidden', 4403, 'forbidden'],
    ['origin_not_allowed', 4403, 'forbidden'],
  ] as const)(
    '%s in mid-session is told and closes with %i',
    { timeout: 60_000 },
    async (code, close, reason) => {
      const opened = await openOmni({ access: changing(code) });
      const client = await new Client(opened.url).opened();
      const { call_id: id } = await client.configure();
      await client.silenceUntil(() => client.closeCode !== null);
      expect(client.closeCode).toBe(close);
      expect(client.controls.find(({ event }) => event === 'error')).toMatchObject({ error: { code } });
      expect(client.controls.at(-1)).toMatchObject({ event: 'ended', reason });
      expect(await recordOf(opened, id)).toMatchObject({ status: 'completed', end_reason: reason });
    },
  );
});

describe.skipIf(Boolean(absent))('a client that closes', () => {
  it.each([1000, 1001, 1009, 1011, 4401, 4429])(
    'with %i is gone, and what it was served is billed',
    { timeout: 60_000 },
    async (code) => {
      const opened = await openOmni();
      const client = await new Client(opened.url).opened();
      const { call_id: id } = await client.configure({ greeting: 'We are open.' });
      await client.silenceUntil(() => client.audioBytes > 3_000);
      client.socket.close(code);
      const record = await recordOf(opened, id);
      expect(record).toMatchObject({ status: 'completed', end_reason: 'client_gone' });
      expect(record.billed).toBeGreaterThan(0);
    },
  );
});

describe.skipIf(Boolean(absent))('a server that drains', () => {
  it('closes with 1001, and has written the record before it is gone', { timeout: 60_000 }, async () => {
    const opened = await openOmni();
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure({ greeting: 'We are open from nine until five.' });
    await client.silenceUntil(() => client.audioBytes > 3_000);
    await opened.server.drain(0);
    const rows = await acrossTenants(opened.storage.db).selectFrom('omni_calls').selectAll().execute();
    expect(rows).toMatchObject([{ id, status: 'completed', end_reason: 'draining' }]);
    expect(await client.closed()).toBe(1001);
    expect(client.controls.at(-1)).toMatchObject({ event: 'ended', reason: 'draining' });
  });
});

describe.skipIf(Boolean(absent))('a frame that is too large', () => {
  it('is named, and closes with 1009', { timeout: 60_000 }, async () => {
    const opened = await openOmni();
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure();
    client.socket.send(Buffer.alloc(omni.MAX_FRAME_BYTES + 1, 1));
    expect(await client.closed()).toBe(1009);
    expect(client.controls.slice(-2)).toMatchObject([
      { event: 'error', error: { code: 'payload_too_large' } },
      { event: 'ended', reason: 'protocol_violation' },
    ]);
    expect(await recordOf(opened, id)).toMatchObject({ end_reason: 'protocol_violation' });
  });
});

describe('close codes', () => {
  it('are those that are documented', () => {
    expect([...new Set(Object.values(OMNI_CLOSE_CODES))].sort()).toEqual([
      1000, 1001, 1008, 1011, 4401, 4403, 4429,
    ]);
  });
});

describe.skipIf(Boolean(absent))('bad control frames', () => {
  it.each<[string, unknown, string]>([
    ['an unknown type', { type: 'dance' }, 'type'],
    ['an unknown field', { type: 'configure', colour: 'red' }, 'colour'],
    ['a persona that is too long', { type: 'configure', persona: 'x'.repeat(16_001) }, 'persona'],
    [
      'a voice_instruct that is too long',
      { type: 'configure', voice_instruct: 'x'.repeat(201) },
      'voice_instruct',
    ],
    ['a temperature out of range', { type: 'configure', temperature: 3 }, 'temperature'],
    ['a tool without a name', { type: 'configure', tools: [{}] }, 'tools.0'],
    ['dtmf before configured', { type: 'dtmf', digits: '1' }, 'type'],
    ['dtmf that is none', { type: 'dtmf', digits: 'abc' }, 'digits'],
    ['a list', [], 'type'],
  ])('%s is answered with its field, and the session can still begin', async (_name, message, param) => {
    const client = await new Client((await openOmni()).url).opened();
    client.control(message);
    const { error } = (await client.event('error')) as unknown as { error: { code: string; param: string } };
    expect(error.code).toBe('invalid_request');
    expect(error.param).toMatch(new RegExp(`^${param.replace('.', '\\.')}`));
    expect(await client.configure()).toMatchObject({ voice_id: VOICE });
    client.socket.close();
  });

  it.each<[string, Buffer]>([
    ['no JSON', Buffer.from('\u0003{')],
    ['no UTF-8', Buffer.of(3, 0xff, 0xfe)],
    ['too large', Buffer.concat([Buffer.of(3), Buffer.alloc(40_000, 0x20)])],
    [
      'a tool_result that is both',
      Buffer.from('\u0003{"type":"tool_result","call_id":"x","result":1,"error":"e"}'),
    ],
    ['a greeting when it was said', Buffer.from('\u0003{"type":"configure","greeting":"Hello again."}')],
    [
      'a tool_result for a call that nobody made',
      Buffer.from('\u0003{"type":"tool_result","call_id":"x","result":1}'),
    ],
    [
      'a tool schema that can run for ever',
      Buffer.from(
        '\u0003{"type":"configure","tools":[{"name":"a","parameters":{"properties":{"b":{"pattern":"(?=a)"}}}}]}',
      ),
    ],
  ])('%s in mid-session is answered, and the call goes on', { timeout: 60_000 }, async (_name, bytes) => {
    const opened = await openOmni();
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure();
    client.socket.send(bytes);
    expect(await client.event('error')).toMatchObject({ error: { code: 'invalid_request' } });
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
    expect(await recordOf(opened, id)).toMatchObject({ end_reason: 'client_ended' });
  });
});

describe('the removed chat URL', () => {
  it('answers 404 with what to change, over HTTP and as a WebSocket', async () => {
    const { url } = await start({ surfaces: [] });
    const response = await fetch(`${url}/v2/omni/chat?agent=a`);
    expect(response.status).toBe(404);
    const text = await response.text();
    for (const word of ['session_label', 'model', 'access_token', '/v1/omni']) expect(text).toContain(word);
    const upgraded = await new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v2/omni/chat`);
      socket.on('unexpected-response', (_request, answer) => resolve(answer.statusCode ?? 0));
      socket.on('open', () => reject(new Error('it was accepted')));
      socket.on('error', () => undefined);
    });
    expect(upgraded).toBe(404);
  });
});
