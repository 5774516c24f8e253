// @requirement Omni: `configure` takes tools in OpenAI's form.
// @requirement Omni: A session takes typed input and context, and reports `speech_started` and `speech_stopped`.
// @requirement Omni: A session speaks the tagged frames, events and close codes of the specification.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Brain } from '../../../../src/conversation/brains/index.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { sampleOf } from '../../../long-tests.ts';
import { absent as absentAudio, ffmpeg, SPEECH } from '../../../media/codec/recordings.ts';
import { agentSaid, press, recordOf } from './fault-helpers.ts';
import { absent, Client, openOmni, VOICE } from './server.ts';

const withEngine = describe.skipIf(Boolean(absent));
const withSpeech = describe.skipIf(Boolean(absent || absentAudio));

const codesOf = (client: Client): unknown[] =>
  client.controls.map((one) => (one.error as { code?: string } | undefined)?.code ?? one.event);

withSpeech('each rate', () => {
  it.each(sampleOf([8_000, 16_000, 24_000], 2))(
    '%i Hz is heard and spoken',
    { timeout: 60_000 },
    async (rate) => {
      const opened = await openOmni();
      const client = await new Client(opened.url, `format=pcm16&rate=${rate}`).opened();
      const persona = 'You are Maya. Your order ninety eight twenty eight arrives on Monday.';
      expect(await client.configure({ persona })).toMatchObject({ format: 'pcm16', rate });
      const file = join(SPEECH, 'an4/an163-mfaa-b.wav');
      const args = ['-v', 'error', '-i', file, '-ac', '1', '-ar', `${rate}`, '-f', 's16le', '-'];
      await client.silence(0.5);
      await client.speak(spawnSync(ffmpeg, args, { maxBuffer: 1 << 26 }).stdout);
      await client.silenceUntil(() =>
        client.transcripts.some(({ role, final }) => role === 'agent' && final),
      );
      expect(client.transcripts.find(({ role, final }) => role === 'user' && final)?.text).toMatch(
        /98|ninety/i,
      );
      expect([...client.audioFrames]).toEqual([rate / 25]);
      client.control({ type: 'end' });
      expect(await client.closed()).toBe(1000);
    },
  );
});

withEngine('configure', () => {
  it('is waited for ten seconds; then the call begins with the defaults', async () => {
    const clock = new ManualClock();
    const { url, lanes } = await openOmni({ clock });
    const client = await new Client(url).opened();
    await expect.poll(() => clock.timers).toBeGreaterThan(0);
    clock.advance(9_999);
    expect(lanes).toEqual([]);
    clock.advance(1);
    expect(await client.event('configured')).toMatchObject({
      language_active: 'en',
      language_fallback: false,
      voice_tier: 'natural',
      format: 'pcm16',
      rate: 8_000,
    });
    expect(client.has('error')).toBe(false);
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
  });

  it('comes before any audio counts: what came earlier is dropped and free', async () => {
    const opened = await openOmni();
    const client = await new Client(opened.url).opened();
    await client.silence(0.5);
    const { call_id: id } = await client.configure();
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
    expect(await recordOf(opened, id)).toMatchObject({ status: 'completed', billed: 0, transcript: [] });
  });

  it.each([
    ['es', undefined, 'es', []],
    ['fr', undefined, 'fr', []],
    ['hi', undefined, 'hi', []],
    ['hi', 'hi9', 'hi', []],
    ['hi', 'hi5', 'hi', ['voice_not_found']],
    ['en', 'hi1', 'en', ['voice_not_found']],
    [undefined, 'hi1', 'hi', []],
    [undefined, 'es1', 'es', []],
    [undefined, 'de1', 'en', ['voice_not_found']],
    ['de', undefined, 'en', []],
  ])('with language %s and voice %s is served in %s', async (language, voice_id, active, complaints) => {
    const opened = await openOmni();
    const client = await new Client(opened.url).opened();
    const ack = await client.configure({ language, voice_id });
    expect(ack).toMatchObject({ language_active: active, language_fallback: language === 'de' });
    client.control({ type: 'end' });
    await client.closed();
    expect(codesOf(client)).toEqual(['configured', ...complaints, 'ended']);
    expect(await recordOf(opened, ack.call_id)).toMatchObject({
      row: { language: active, voice_id: ack.voice_id },
    });
  });

  it('takes 200 characters of voice_instruct, and no voice of today follows them', async () => {
    const client = await new Client((await openOmni()).url).opened();
    await client.configure({ voice_instruct: 'x'.repeat(200) });
    expect(await client.event('error')).toMatchObject({ error: { code: 'unsupported_voice_instruct' } });
    client.control({ type: 'configure', voice_instruct: 'x'.repeat(201) });
    await client.until(() => client.controls.length === 3);
    expect(client.controls[2]).toMatchObject({ error: { code: 'invalid_request', param: 'voice_instruct' } });
    client.socket.close();
  });

  it('in mid-session is served from the next turn on', { timeout: 60_000 }, async () => {
    const opened = await openOmni();
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure({ persona: 'You are Maya.' });
    client.control({ type: 'configure', language: 'es', persona: 'Eres Ana.', tools: [{ name: 'look' }] });
    await client.until(() => client.controls.length === 2);
    expect(client.controls[1]).toMatchObject({ event: 'configured', language_active: 'es', call_id: id });
    expect(client.controls[1]?.voice_id).not.toBe(VOICE);
    client.control({ type: 'end' });
    await client.closed();
    expect(await recordOf(opened, id)).toMatchObject({ row: { language: 'es' } });
  });

  it('says whose call it is: session_label or its alias, and external_id', async () => {
    const opened = await openOmni();
    const client = await new Client(opened.url, 'format=pcm16&rate=8000&agent_id=desk&colour=red').opened();
    const { call_id: id } = await client.configure({ meta: { external_id: 'x'.repeat(257) } });
    await client.event('error');
    client.control({ type: 'end' });
    await client.closed();
    expect(codesOf(client)).toEqual(['configured', 'invalid_request', 'ended']);
    expect(await recordOf(opened, id)).toMatchObject({ row: { session_label: 'desk', external_id: null } });
  });
});

withEngine('tools of the client', () => {
  const BOOKING_TOOL = {
    kind: 'tool_call' as const,
    call: { id: 'c1', name: 'book', arguments: '{"day":"Monday"}' },
  };

  const booking: Brain = {
    name: 'booking',
    async *respond({ messages }) {
      const last = messages.at(-1);
      if (last?.role === 'tool')
        yield { kind: 'text', text: `The tool said ${JSON.parse(last.content).answer}.` };
      else yield BOOKING_TOOL;
    },
  };

  it('are called once, with five seconds to answer; the first result counts', {
    timeout: 60_000,
  }, async () => {
    const client = await new Client((await openOmni({ brain: booking })).url).opened();
    await client.configure({ tools: [{ name: 'book' }] });
    press(client);
    await client.silenceUntil(() => client.has('tool_call'));
    const call = await client.event('tool_call');
    expect(call).toMatchObject({ name: 'book', arguments: { day: 'Monday' }, timeout_ms: 5_000 });
    for (const answer of ['yes', 'no'])
      client.control({ type: 'tool_result', call_id: call.call_id, result: { answer } });
    await client.silenceUntil(() => client.transcripts.some(({ role, final }) => role === 'agent' && final));
    expect(agentSaid(client)).toBe('The tool said yes.');
    client.control({ type: 'end' });
    await client.closed();
    expect(codesOf(client).filter((code) => code !== 'turn')).toEqual(['configured', 'tool_call', 'ended']);
  });
});

withEngine('say', () => {
  it('with interrupt takes the place of what is said, and the client flushes', {
    timeout: 60_000,
  }, async () => {
    const client = await new Client((await openOmni()).url).opened();
    const greeting = Array(5).fill('We are open from nine to five on every day of the week.').join(' ');
    await client.configure({ greeting });
    await client.silenceUntil(() => client.audioBytes > 16_000);
    client.control({ type: 'say', text: 'Never said.' });
    client.control({ type: 'say', text: 'We have to hang up.', interrupt: true });
    await client.silenceUntil(() => agentSaid(client).endsWith('We have to hang up.'));
    expect(client.controls.find(({ event }) => event === 'barge_in')).toMatchObject({ turn_id: 0 });
    expect(agentSaid(client)).not.toContain('Never said.');
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
  });

  it.each([
    { text: '' },
    {},
    { text: 'x'.repeat(1_001) },
    { text: 'a', interrupt: 'yes' },
    { text: 'a', over: true },
  ])('of another form is refused, and the call goes on: %j', async (message) => {
    const client = await new Client((await openOmni()).url).opened();
    await client.configure();
    client.control({ type: 'say', ...message });
    expect(await client.event('error')).toMatchObject({ error: { code: 'invalid_request' } });
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
  });
});
