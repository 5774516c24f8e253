// @requirement Billing: Speech that fails in the middle is not billed.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Brain } from '../../../../src/conversation/brains/index.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { agentSaid, OURS, press, recordOf } from './fault-helpers.ts';
import { absent, Client, openOmni, VOICE } from './server.ts';

function frame(payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const masked = Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  const head =
    payload.length < 126
      ? Buffer.of(0x82, 0x80 | payload.length)
      : Buffer.of(0x82, 0x80 | 126, payload.length >> 8, payload.length & 255);
  return Buffer.concat([head, mask, masked]);
}

const AT_ONCE = 8;
const control = (message: unknown): Buffer =>
  frame(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(message))]));
const audio = (): Buffer => frame(Buffer.concat([Buffer.of(1), Buffer.alloc(320)]));

function handshake(port: number): Buffer {
  return Buffer.from(
    [
      'GET /v1/omni?format=pcm16&rate=8000 HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      `Authorization: Bearer ${OneKeyAccess.KEY}`,
      '\r\n',
    ].join('\r\n'),
  );
}

describe.skipIf(Boolean(absent))('a client that is gone', () => {
  it('at any byte leaves nothing behind: no lane, no slot, no call that is live', {
    timeout: 240_000,
  }, async () => {
    // The engine of an application keeps a share of its lanes for live keys.
    const { url, access, storage, engine, calls } = await openOmni({ ownEngine: true });
    const port = Number(new URL(url).port);
    const head = handshake(port);
    const frames = [
      control({ type: 'configure', voice_id: VOICE, greeting: 'Hello there.' }),
      audio(),
      control({ type: 'dtmf', digits: '1' }),
      audio(),
      control({ type: 'end' }),
    ];
    const talk = Buffer.concat(frames);
    let end = 0;
    const edges = [0, ...frames.map(({ length }) => (end += length))];
    // The cuts cover each byte of the frame headers and edges, and some positions between.
    const cuts = Array.from({ length: talk.length + 1 }, (_, at) => at).filter(
      (at) => at % 31 === 0 || edges.some((edge) => at >= edge - 1 && at < edge + 9),
    );
    /**
     * The upgrade was answered: the client sends part of the talk, then nothing more. The server processes every byte
     * of a client that reads its answers and closes in order; a dropped connection may lose bytes that the server had
     * not read.
     */
    const leave = (at: number, inOrder: boolean): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(head));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
        socket.once('data', () => {
          if (inOrder) socket.resume().end(talk.subarray(0, at));
          else socket.write(talk.subarray(0, at), () => socket.destroy());
        });
      });
    const all = async (inOrder: boolean): Promise<number> => {
      for (let from = 0; from < cuts.length; from += AT_ONCE) {
        await Promise.all(cuts.slice(from, from + AT_ONCE).map((at) => leave(at, inOrder)));
        await expect.poll(() => access.released, { timeout: 30_000, interval: 5 }).toBe(access.admitted);
        await expect.poll(() => engine.stats().lanes, { timeout: 10_000, interval: 5 }).toBe(0);
      }
      const { count } = await acrossTenants(storage.db)
        .selectFrom('omni_calls')
        .select((select) => select.fn.countAll().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    };
    // Each whole `configure` makes one call and one record; a partial one makes none.
    const configured = cuts.filter((at) => at >= (edges[1] as number)).length;
    expect(await all(true)).toBe(configured);
    expect(await all(false)).toBeLessThanOrEqual(2 * configured);
    expect(access.admitted).toBe(2 * cuts.length);
    await calls.stop();
    const rows = await acrossTenants(storage.db).selectFrom('omni_calls').selectAll().execute();
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(['completed']));
    expect(new Set(rows.map((row) => row.end_reason)).has('client_gone')).toBe(true);
    await expect.poll(() => engine.stats().lanes, { timeout: 10_000 }).toBe(0);
  });

  it('in the middle of its handshake was never there', { timeout: 60_000 }, async () => {
    const { url, access, storage, engine } = await openOmni();
    const port = Number(new URL(url).port);
    const head = handshake(port);
    const cuts = Array.from({ length: head.length }, (_, at) => at);
    await Promise.all(
      cuts.map(
        (at) =>
          new Promise<void>((resolve) => {
            const socket = connect(port, '127.0.0.1', () =>
              socket.write(head.subarray(0, at), () => socket.destroy()),
            );
            socket.on('close', () => resolve());
          }),
      ),
    );
    const client = await new Client(url).opened();
    client.socket.terminate();
    await expect.poll(() => access.released).toBe(1);
    expect(access.admitted).toBe(1);
    expect(await acrossTenants(storage.db).selectFrom('omni_calls').selectAll().execute()).toEqual([]);
    expect(engine.stats().lanes).toBe(0);
  });

  it('before configure leaves no record', { timeout: 60_000 }, async () => {
    const { url, access, storage } = await openOmni();
    const client = await new Client(url).opened();
    client.socket.terminate();
    await expect.poll(() => access.released).toBe(1);
    expect(await acrossTenants(storage.db).selectFrom('omni_calls').selectAll().execute()).toEqual([]);
  });

  const booking: Brain = {
    name: 'booking',
    respond: async function* () {
      yield { kind: 'tool_call', call: { id: 'c1', name: 'book', arguments: '{}' } };
    },
  };
  it.each<[string, (client: Client) => void, Record<string, unknown>, (client: Client) => boolean]>([
    ['right after configure', () => undefined, {}, () => true],
    [
      'while the agent speaks',
      () => undefined,
      { greeting: 'We are open from nine in the morning until five in the afternoon, every day.' },
      (client) => client.audioBytes > 6_000,
    ],
    [
      'while a tool runs',
      (client) => press(client),
      { tools: [{ name: 'book' }] },
      (client) => client.has('tool_call'),
    ],
  ])(
    '%s leaves one record, and what was heard until then',
    { timeout: 60_000 },
    async (name, act, configure, then) => {
      const opened = await openOmni({ brain: booking });
      const client = await new Client(opened.url).opened();
      const { call_id: id } = await client.configure(configure);
      act(client);
      await client.silenceUntil(() => then(client));
      client.socket.terminate();
      const record = await recordOf(opened, id);
      expect(record).toMatchObject({ status: 'completed', end_reason: 'client_gone' });
      if (name === 'while the agent speaks') expect(record.transcript.join()).toMatch(/^agent: We are/);
      await expect.poll(() => opened.access.released).toBe(1);
    },
  );

  it('while configure is carried out leaves one record', async () => {
    const opened = await openOmni();
    const client = await new Client(opened.url).opened();
    client.control({ type: 'configure', voice_id: VOICE });
    client.control({ type: 'end' });
    await client.until(() => client.closeCode);
    const [row] = await acrossTenants(opened.storage.db).selectFrom('omni_calls').selectAll().execute();
    expect(await recordOf(opened, row?.id)).toMatchObject({ end_reason: 'client_ended', billed: 0 });
  });
});

describe.skipIf(Boolean(absent))('a client that reads too slowly', () => {
  it('is cut, and its call is written', { timeout: 60_000 }, async () => {
    let asked = 0;
    const brain: Brain = {
      name: 'wordy',
      respond: async function* () {
        for (let call = 0; call < 16; call++) {
          const args = JSON.stringify({ text: `${++asked} ${'x'.repeat(15_000)}` });
          yield { kind: 'tool_call', call: { id: `c${asked}`, name: 'note', arguments: args } };
        }
      },
    };
    const opened = await openOmni({ brain });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure({ tools: [{ name: 'note', timeout_ms: 30_000 }] });
    client.socket.pause();
    for (let sent = 0; sent < 90 && opened.access.released === 0; sent++) {
      const before = asked;
      press(client, '1#');
      await expect.poll(() => asked > before || opened.access.released > 0).toBe(true);
    }
    expect(await recordOf(opened, id)).toMatchObject({ status: 'completed', end_reason: 'client_gone' });
    expect(opened.access.released).toBe(1);
    client.socket.terminate();
  });
});

describe.skipIf(Boolean(absent))('a client that does not read what the agent says', () => {
  it('is cut though the network takes it all, and its call is written', { timeout: 60_000 }, async () => {
    const listenerClock = new ManualClock();
    const opened = await openOmni({ listenerClock });
    const client = await new Client(opened.url).opened();
    const greeting = 'We are open from nine in the morning until five in the afternoon, every day. '.repeat(
      8,
    );
    const { call_id: id } = await client.configure({ greeting });
    await client.silenceUntil(() => client.audioBytes > 3_000);
    client.socket.pause();
    const released = (): number => {
      listenerClock.advance(500);
      return opened.access.released;
    };
    await expect.poll(released, { timeout: 20_000, interval: 50 }).toBe(1);
    expect(await recordOf(opened, id)).toMatchObject({ status: 'completed', end_reason: 'client_gone' });
    client.socket.terminate();
  });
});

describe.skipIf(Boolean(absent))('an engine that ends during calls', () => {
  it('closes each with 1011, failed and free, and a new one serves again', {
    timeout: 120_000,
  }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'omni-'));
    const opened = await openOmni({ ownEngine: true, dataDir });
    const idle = await new Client(opened.url).opened();
    const speaking = await new Client(opened.url).opened();
    const ids = [
      (await idle.configure()).call_id,
      (await speaking.configure({ greeting: 'We are open from nine until five, every day of the week.' }))
        .call_id,
    ];
    await speaking.silenceUntil(() => speaking.audioBytes > 3_000);
    opened.engine.destroy();
    expect([await idle.closed(), await speaking.closed()]).toEqual([1011, 1011]);
    expect(speaking.controls.at(-1)).toMatchObject({ event: 'ended', reason: 'engine_failed' });
    for (const id of ids) {
      expect(await recordOf(opened, id)).toMatchObject({
        status: 'failed',
        end_reason: 'engine_failed',
        billed: 0,
      });
      expect(await opened.calls.find(OURS, String(id))).toMatchObject({ error: 'call_failed' });
    }
    const next = await new Client(opened.url).opened();
    next.control({ type: 'configure', voice_id: VOICE });
    expect(await next.closed()).toBe(1013);

    // A restart on the same folder serves; the record of the call that the engine ended stays as it was written.
    const again = await openOmni({ ownEngine: true, dataDir });
    const served = await new Client(again.url).opened();
    const { call_id: id } = await served.configure({ greeting: 'Hello again.' });
    await served.silenceUntil(() => agentSaid(served) !== '');
    served.control({ type: 'end' });
    expect(await served.closed()).toBe(1000);
    expect(await recordOf(again, id)).toMatchObject({
      status: 'completed',
      transcript: ['agent: Hello again.'],
    });
    await again.calls.sweep();
    for (const failed of ids)
      expect(await again.calls.find(OURS, String(failed))).toMatchObject({ status: 'failed' });
  });
});
