// @requirement Omni: The agent answers from the knowledge that it was given.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { ApiError } from '../../../../src/foundation/platform/errors.ts';
import { absent as absentAudio, ffmpeg, SPEECH } from '../../../media/codec/recordings.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { absent, Client, openOmni, VOICE } from './server.ts';

const withSpeech = describe.skipIf(Boolean(absent || absentAudio));

function recording(path: string): Buffer {
  const args = ['-v', 'error', '-i', join(SPEECH, path), '-ac', '1', '-ar', '8000', '-f', 's16le', '-'];
  return spawnSync(ffmpeg, args, { maxBuffer: 1 << 26 }).stdout;
}

const QUESTION = recording('an4/an163-mfaa-b.wav');
const LONG_GREETING = Array(6)
  .fill('We are open from nine in the morning until five in the afternoon.')
  .join(' ');

withSpeech('connecting', () => {
  const refusal = async (query: string) => {
    const { url } = await openOmni();
    const response = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      const { socket } = new Client(url, query);
      socket.on('unexpected-response', (_request, answer) => {
        let body = '';
        answer.on('data', (chunk) => {
          body += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
      });
      socket.on('open', () => reject(new Error('it was accepted')));
      socket.on('error', () => undefined);
    });
    return {
      status: response.status,
      ...(JSON.parse(response.body) as { error: { code: string; param: string } }).error,
    };
  };

  it.each([
    ['rate=8000', 'invalid_request', 'format'],
    ['format=opus&rate=8000', 'invalid_request', 'format'],
    ['format=pcm16', 'invalid_request', 'rate'],
    ['format=pcm16&rate=44100', 'invalid_request', 'rate'],
    [`format=pcm16&rate=8000&agent_id=${'x'.repeat(129)}`, 'invalid_agent_id', 'agent_id'],
    ['format=pcm16&rate=8000&session_label=%07', 'invalid_agent_id', 'session_label'],
  ])('%s is a 400', async (query, code, param) => {
    expect(await refusal(query)).toMatchObject({ status: 400, code, param });
  });

  it.each(['concurrency_limit_exceeded', 'credit_exhausted'] as const)(
    '%s is told and closed with 4429',
    async (code) => {
      const access = new OneKeyAccess();
      access.admit = async () => {
        throw new ApiError(code, 'no more');
      };
      const client = await new Client((await openOmni({ access })).url).opened();
      expect(await client.closed()).toBe(4429);
      expect(client.controls).toMatchObject([{ event: 'error', error: { code } }]);
    },
  );

  it('a rate that is used up is told and closed with 4429 too', async () => {
    const access = new OneKeyAccess();
    access.authorize = async () => {
      throw new ApiError('rate_limit_exceeded', 'slower', { retryAfter: 1 });
    };
    const client = await new Client((await openOmni({ access })).url).opened();
    expect(await client.closed()).toBe(4429);
    expect(client.controls).toMatchObject([{ event: 'error', error: { code: 'rate_limit_exceeded' } }]);
  });

  it('a full engine is told and closed with 1013', async () => {
    const node = 'https://node-2.example.com';
    const { url } = await openOmni({ engine: { capacity: 0 }, betterNode: () => node });
    const client = await new Client(url).opened();
    client.control({ type: 'configure' });
    expect(await client.closed()).toBe(1013);
    expect(client.controls).toMatchObject([{ event: 'error', error: { code: 'capacity', node } }]);
  });
});

withSpeech('configure', () => {
  it('falls back to English for German, and to the default voice for an unknown one', async () => {
    const client = await new Client((await openOmni()).url).opened();
    const tools = [{ name: 'a', parameters: { type: 'string' } }];
    const ack = await client.configure({
      language: 'de',
      voice_id: 'nobody',
      voice_instruct: 'whisper',
      tools,
    });
    expect(client.controls[0], 'what was not done as asked comes behind what was').toBe(ack);
    expect(ack).toMatchObject({
      language_active: 'en',
      language_fallback: true,
      format: 'pcm16',
      rate: 8000,
    });
    expect(ack.call_id).toMatch(/^ocl_[A-Za-z0-9]{20}$/);
    await client.until(() => client.controls.length === 4);
    const codes = client.controls.slice(1).map(({ error }) => (error as { code: string }).code);
    expect(codes.sort()).toEqual(['invalid_request', 'unsupported_voice_instruct', 'voice_not_found']);
    client.control({ type: 'configure', persona: 'You are Maya.' });
    await client.until(() => client.controls.length === 5);
    expect(client.controls[4]).toMatchObject({ language_active: 'en', language_fallback: true });
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
  });

  it.each(['high', 'normal', 'low', -34] as const)(
    'yields as the setting says (%s), whatever the frame asks for',
    async (bargeSensitivity) => {
      const { url, lanes } = await openOmni({ bargeSensitivity });
      const client = await new Client(url).opened();
      await client.configure({ barge_sensitivity: 'low', vocabulary: ['Trunkline'] });
      expect(client.has('error')).toBe(false);
      expect(lanes).toMatchObject([{ bargeSensitivity, vocabulary: ['Trunkline'], rate: 8000 }]);
      client.socket.close();
    },
  );

  it('names a bad field, and the session can still be configured', async () => {
    const client = await new Client((await openOmni()).url).opened();
    client.control({ type: 'configure', language: 'xx' });
    expect(await client.event('error')).toMatchObject({
      error: { code: 'invalid_request', param: 'language' },
    });
    expect(await client.configure()).toMatchObject({ voice_id: VOICE });
    client.socket.close();
  });
});

withSpeech('frames that break the protocol', () => {
  it.each<[string, (client: Client) => void]>([
    ['a text frame', ({ socket }) => socket.send('{"type":"end"}')],
    ['bare PCM', ({ socket }) => socket.send(Buffer.alloc(640, 0x20))],
    ['half a sample', ({ socket }) => socket.send(Buffer.of(1, 0))],
    ['a transcript', ({ socket }) => socket.send(Buffer.from('\u0002{}'))],
    [
      'more audio than two minutes ahead of real time',
      ({ socket }) => {
        for (let second = 0; second < 140; second++)
          socket.send(Buffer.concat([Buffer.of(1), Buffer.alloc(16_000)]));
      },
    ],
    [
      'control frames without end',
      ({ socket }) => {
        for (let sent = 0; sent < 300; sent++) socket.send(Buffer.from('\u0003{'));
      },
    ],
    [
      'frames of one sample without end',
      ({ socket }) => {
        for (let sent = 0; sent < 15_000; sent++) socket.send(Buffer.of(1, 0, 0));
      },
    ],
  ])('%s closes with 1008 and leaves a record', async (_name, send) => {
    const { url, calls } = await openOmni();
    const client = await new Client(url).opened();
    const { call_id: id } = await client.configure();
    send(client);
    expect(await client.closed()).toBe(1008);
    expect(client.controls.map(({ event }) => event)).toContain('error');
    await expect
      .poll(() => calls.find(tenantScopeOf(new OneKeyAccess().principal()), String(id)))
      .toMatchObject({
        end_reason: 'protocol_violation',
      });
  });

  it('configure without end is told of, and the call goes on as it was', async () => {
    const client = await new Client((await openOmni()).url).opened();
    await client.configure();
    for (let sent = 0; sent < 20; sent++) client.control({ type: 'configure', persona: `${sent}` });
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
    const answers = client.controls.map(
      (one) => (one.error as { code?: string } | undefined)?.code ?? one.event,
    );
    expect(answers.filter((one) => one === 'configured').length).toBeLessThanOrEqual(5);
    expect(answers).toContain('rate_limit_exceeded');
  });

  it('an oversize frame closes with 1009', async () => {
    const client = await new Client((await openOmni()).url).opened();
    await client.configure();
    client.socket.send(Buffer.alloc(300_000, 1));
    expect(await client.closed()).toBe(1009);
  });
});

withSpeech('a call', () => {
  it('hears a question, answers it from what it was given, and leaves one record', {
    timeout: 60_000,
  }, async () => {
    const { url, calls, billed, metrics } = await openOmni();
    const client = await new Client(`${url}`, 'format=pcm16&rate=8000&session_label=desk').opened();
    const { call_id: id } = await client.configure({
      persona: 'You are Maya. Your order ninety eight twenty eight arrives on Monday.',
      meta: { external_id: 'crm-7' },
    });
    await client.silence(0.5);
    await client.speak(QUESTION);
    await client.silenceUntil(() => client.transcripts.some(({ role, final }) => role === 'agent' && final));
    const said = await client.until(() =>
      client.transcripts.find(({ role, final }) => role === 'user' && final),
    );
    expect(said.text).toMatch(/98|ninety/i);
    expect(client.audioBytes).toBeGreaterThan(8_000);
    expect(client.has('turn')).toBe(true);
    const spoken = await client.until(() =>
      client.transcripts.find(({ role, final }) => role === 'agent' && final),
    );
    expect(spoken.text.length).toBeGreaterThan(5);
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
    const row = await expect
      .poll(() => calls.find(tenantScopeOf(new OneKeyAccess().principal()), String(id)))
      .toMatchObject({
        status: 'completed',
        session_label: 'desk',
        external_id: 'crm-7',
        end_reason: 'client_ended',
      })
      .then(() => calls.find(tenantScopeOf(new OneKeyAccess().principal()), String(id)));
    const entries = JSON.parse(row?.transcript ?? '[]') as { role: string; text: string }[];
    expect(entries.map(({ role }) => role)).toEqual(['user', 'agent']);
    expect(entries[1]?.text).toBe(spoken.text);
    expect(await billed()).toEqual([row?.duration_ms]);
    const shown = await metrics.text();
    expect(shown).toContain('trunkline_omni_calls_total{reason="client_ended"} 1');
    for (const name of ['response_latency', 'gap'])
      expect(shown).toContain(`trunkline_omni_${name}_seconds_count{part="total"} 1`);
  });

  it('is cut short by the caller, and remembers only what was heard', { timeout: 60_000 }, async () => {
    const { url, calls } = await openOmni();
    const client = await new Client(url).opened();
    const { call_id: id } = await client.configure({ greeting: LONG_GREETING });
    await client.silenceUntil(() => client.audioBytes > 16_000);
    await client.silence(1);
    await client.speak(QUESTION);
    await client.silenceUntil(() => client.has('barge_in'));
    const cut = await client.event('barge_in');
    expect(cut).toMatchObject({ turn_id: 0, alias: 'flush' });
    expect(cut.played_ms).toBeGreaterThan(500);
    client.control({ type: 'end' });
    await client.closed();
    const org = tenantScopeOf(new OneKeyAccess().principal());
    await expect.poll(() => calls.find(org, String(id))).not.toBeNull();
    const row = await calls.find(org, String(id));
    const [greeting] = JSON.parse(row?.transcript ?? '[]') as { text: string; interrupted: boolean }[];
    expect(greeting?.interrupted).toBe(true);
    expect(LONG_GREETING.startsWith(greeting?.text ?? '?')).toBe(true);
    expect(greeting?.text.length).toBeLessThan(LONG_GREETING.length);
  });

  it('bills what was spoken to a caller who sent nothing', { timeout: 60_000 }, async () => {
    const { url, calls, billed } = await openOmni();
    const client = await new Client(url).opened();
    const { call_id: id } = await client.configure();
    client.control({ type: 'say', text: 'Your parcel is at the front desk.' });
    await client.until(() => client.transcripts.find(({ role, final }) => role === 'agent' && final));
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
    const org = tenantScopeOf(new OneKeyAccess().principal());
    await expect.poll(() => calls.find(org, String(id))).toMatchObject({ status: 'completed' });
    expect(await billed()).toEqual([(await calls.find(org, String(id)))?.duration_ms]);
  });

  it('bills nothing when no audio came and none was played', async () => {
    const { url, calls, billed } = await openOmni();
    const client = await new Client(url).opened();
    const { call_id: id } = await client.configure();
    client.socket.terminate();
    await expect
      .poll(() => calls.find(tenantScopeOf(new OneKeyAccess().principal()), String(id)))
      .toMatchObject({ status: 'completed', end_reason: 'client_gone' });
    expect(await billed()).toEqual([]);
  });
});
