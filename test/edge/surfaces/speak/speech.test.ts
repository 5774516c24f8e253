// @requirement Vendors' clients: OpenAI's npm and PyPI clients work unchanged.
// @requirement Limits: Speech input has at most 4,096 characters.
// @requirement Speak: Speech has the formats and sample rates of its voice, streamed or whole.
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { StockVoices } from '../../../../src/speech/voices/index.ts';
import { itLong } from '../../../long-tests.ts';
import { nextJob } from '../../server/fixtures/slow-uploads.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { absent, codeOf, isSameSpeech, samplesOf, speakWorld } from './server.ts';

describe.skipIf(absent)('POST /v1/audio/speech', () => {
  const world = speakWorld();
  const text = 'Thank you for calling.';

  it('answers mp3, streamed, by the default voice', { timeout: 120_000 }, async () => {
    const { speak } = await world().serve();
    const recorded = world().nextEvent();
    const response = await speak({ input: text });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('x-svc-stream')).toBe('streamed');
    expect(response.headers.get('x-svc-voice')).toBe('heart_en_us');
    expect(response.headers.get('x-svc-sample-rate')).toBe('24000');
    expect(response.headers.get('x-svc-characters')).toBe(String(text.length));
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(bytes[0]).toBe(0xff);
    expect(bytes.length).toBeGreaterThan(5000);
    await recorded;
  });

  it('bills what was sent, once, in milliseconds of speech', async () => {
    const { speak } = await world().serve();
    const before = world().events.length;
    const recorded = world().nextEvent();
    const response = await speak({ input: text, voice: 'joe_en_us', response_format: 'g711_ulaw' });
    const bytes = (await response.arrayBuffer()).byteLength;
    await recorded;
    const [event, ...more] = world().events.slice(before);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ use: 'speak.speech', milliseconds: Math.round(bytes / 8) });
    const row = await acrossTenants(world().storage.db)
      .selectFrom('speak_requests')
      .selectAll()
      .where('id', '=', event!.resource)
      .executeTakeFirst();
    expect(row).toMatchObject({ voice_id: 'joe_en_us', characters: text.length, complete: 1 });
  });

  it.each([
    ['g711_ulaw', undefined, 'audio/basic', 8000, 1],
    ['g711_alaw', 8000, 'audio/basic', 8000, 1],
    ['pcm', undefined, 'audio/pcm', 24_000, 2],
    ['pcm', 8000, 'audio/pcm', 8000, 2],
    ['pcm', 16_000, 'audio/pcm', 16_000, 2],
  ])('answers %s at %s', async (response_format, sample_rate, type, rate, width) => {
    const { speak } = await world().serve();
    const body = { input: text, voice: 'joe_en_us', response_format, sample_rate, stream: false };
    const response = await speak(body);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-svc-sample-rate')).toBe(String(rate));
    expect(response.headers.get('x-svc-stream')).toBeNull();
    const seconds = (await response.arrayBuffer()).byteLength / rate / width;
    expect(seconds).toBeGreaterThan(0.8);
    expect(seconds).toBeLessThan(3);
  });

  itLong('says the same streamed and buffered', async () => {
    const { speak } = await world().serve();
    const body = { input: text, voice: 'joe_en_us', response_format: 'pcm' };
    const streamed = Buffer.from(await (await speak(body)).arrayBuffer());
    const buffered = Buffer.from(await (await speak({ ...body, stream: false })).arrayBuffer());
    expect(isSameSpeech(streamed, buffered)).toBe(true);
  });

  it('speaks Chinese, and says a date and a price in full', async () => {
    const { speak } = await world().serve();
    const seconds = async (input: string) => {
      const response = await speak({
        input,
        voice: 'xiaoxiao_zh_cn',
        response_format: 'pcm',
        stream: false,
      });
      expect([response.status, response.headers.get('x-svc-voice')]).toEqual([200, 'xiaoxiao_zh_cn']);
      return (await response.arrayBuffer()).byteLength / 24_000 / 2;
    };
    const short = await seconds('您好。');
    expect(short).toBeGreaterThan(0.3);
    expect(short).toBeLessThan(2);
    const written = await seconds('3月14日，一共85元。');
    expect(written).toBeGreaterThan(1.8);
    expect(written).toBeLessThan(6);
  }, 120_000);

  itLong(
    'speaks Japanese, and says a date and a price in full',
    async () => {
      const { speak } = await world().serve();
      const seconds = async (input: string) => {
        const response = await speak({ input, voice: 'alpha_ja_jp', response_format: 'pcm', stream: false });
        expect([response.status, response.headers.get('x-svc-voice')]).toEqual([200, 'alpha_ja_jp']);
        return (await response.arrayBuffer()).byteLength / 24_000 / 2;
      };
      const short = await seconds('はい。');
      expect(short).toBeGreaterThan(0.2);
      expect(short).toBeLessThan(2);
      const written = await seconds('3月14日、合計は8,500円です。');
      expect(written).toBeGreaterThan(2);
      expect(written).toBeLessThan(8);
    },
    120_000,
  );

  it.each([
    [{ input: 'a'.repeat(4097) }, 400, 'input_too_long'],
    [{ input: '😀'.repeat(4097) }, 400, 'input_too_long'],
    [{ input: '' }, 400, 'invalid_request'],
    [{ input: ' \n\t' }, 400, 'invalid_request'],
    [{ input: '...' }, 400, 'invalid_request'],
    [{}, 400, 'invalid_request'],
    [{ input: text, model: 'whisper-1' }, 400, 'unsupported_model'],
    [{ input: text, model: 'svc-speak-9' }, 400, 'unsupported_model'],
    [{ input: text, voice: 'nobody' }, 404, 'voice_not_found'],
    [{ input: text, voice: 'hi5' }, 410, 'voice_retired'],
    [{ input: text, voice: 'vc_00000000000000000000' }, 404, 'voice_not_found'],
    [{ input: text, voice: 'joe_en_us', emotion: 'sad' }, 400, 'unsupported_emotion'],
    [{ input: text, emotion: 'furious' }, 400, 'unsupported_emotion'],
    [{ input: text, response_format: 'amr' }, 400, 'invalid_request'],
    [{ input: text, response_format: 'flac', sample_rate: 8000 }, 400, 'invalid_request'],
    [{ input: text, response_format: 'g711_ulaw', sample_rate: 16_000 }, 400, 'invalid_request'],
    [{ input: text, response_format: 'pcm', sample_rate: 24_000 }, 400, 'invalid_request'],
    [{ input: text, response_format: 'pcm', sample_rate: 44_100 }, 400, 'invalid_request'],
    [{ input: text, speed: 5 }, 400, 'invalid_request'],
    [{ input: text, language: 'en' }, 400, 'invalid_request'],
  ])('refuses what it cannot serve (%#)', async (body, status, code) => {
    const { speak } = await world().serve();
    const before = world().events.length;
    const response = await speak(body);
    expect([response.status, await codeOf(response)]).toEqual([status, code]);
    expect(world().events.length).toBe(before);
  });

  it('counts code points, not units: 4,096 pictures are allowed as length, and are nothing to speak', async () => {
    const { speak } = await world().serve();
    const response = await speak({ input: '😀'.repeat(4096) });
    expect(await codeOf(response)).toBe('invalid_request');
  });

  it.each(['hi99', 'gamma_hi_in'])(
    'serves %s by the default Hindi voice',
    { timeout: 120_000 },
    async (voice) => {
      const { speak } = await world().serve();
      const response = await speak({ input: 'नमस्ते', voice, response_format: 'pcm', stream: false });
      expect(response.headers.get('x-svc-voice')).toBe('alpha_hi_in');
    },
  );

  it('takes OpenAI’s optional fields and model name svc-voice', async () => {
    const { speak } = await world().serve();
    const extras = { model: 'svc-voice', instructions: 'whisper', stream_format: 'audio' };
    const response = await speak({ input: text, voice: 'joe_en_us', ...extras });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  it('works with the public OpenAI client unchanged', async () => {
    const { url } = await world().serve();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: bearer.authorization.slice('Bearer '.length) });
    const response = await client.audio.speech.create({
      model: 'svc-speak',
      voice: 'joe_en_us' as 'alloy',
      input: text,
      response_format: 'pcm',
      speed: 1.1,
    });
    const samples = samplesOf(await response.arrayBuffer());
    expect(samples.length).toBeGreaterThan(12_000);
    expect(Math.max(...samples.slice(0, 1200))).toBeGreaterThan(0.01);
  });

  it('gives the OpenAI client its default, mp3, as a stream', { timeout: 120_000 }, async () => {
    const { url } = await world().serve();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: bearer.authorization.slice('Bearer '.length) });
    const asked = { model: 'svc-speak', voice: 'alloy', input: `${text} ${text} ${text}` } as const;
    const { data, response } = await client.audio.speech.create(asked).withResponse();
    // "alloy" is an alias of a stock voice, so clients that were written for it work.
    expect(response.headers.get('x-svc-voice')).toBe('alloy_en_us');
    const parts: Buffer[] = [];
    for await (const part of data.body as unknown as AsyncIterable<Uint8Array>) parts.push(Buffer.from(part));
    expect(parts.length).toBeGreaterThan(1);
    expect([...Buffer.concat(parts).subarray(0, 2)]).toEqual([
      0xff,
      expect.toSatisfy((b: number) => b >= 0xe0),
    ]);
    await client.audio.speech.create({
      ...asked,
      input: 'Hi.',
      stream_format: 'audio',
      instructions: 'Calmly.',
    });
  });

  it.each([
    ['wav', 'audio/wav', 'RIFF'],
    ['opus', 'audio/ogg', 'OggS'],
    ['flac', 'audio/flac', 'fLaC'],
    ['aac', 'audio/aac', '\u00ff'],
  ] as const)('gives the OpenAI client %s', async (format, type, begins) => {
    const { url } = await world().serve();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: bearer.authorization.slice('Bearer '.length) });
    const asked = { model: 'tts-1', voice: 'joe_en_us' as 'alloy', input: text, response_format: format };
    const response = await client.audio.speech.create(asked);
    expect(response.headers.get('content-type')).toBe(type);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.toString('latin1', 0, begins.length)).toBe(begins);
    expect(bytes.length).toBeGreaterThan(2000);
  });

  it('speaks as events, and bills them as it does bytes', async () => {
    const { speak } = await world().serve();
    const recorded = world().nextEvent();
    const response = await speak({
      input: text,
      voice: 'joe_en_us',
      response_format: 'pcm',
      stream_format: 'sse',
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = (await response.text())
      .split('\n\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line.replace(/^data: /, '')) as { type: string; audio?: string });
    expect(events.at(-1)?.type).toBe('speech.audio.done');
    const audio = Buffer.concat(events.map(({ audio: one = '' }) => Buffer.from(one, 'base64')));
    expect(audio.length / 48_000).toBeGreaterThan(0.5);
    await recorded;
    expect(world().events.at(-1)?.milliseconds).toBe(Math.round(audio.length / 48));
  });

  it('brings a speed to what the engine can, says so, and says what it left out', async () => {
    const { speak } = await world().serve();
    const asked = { input: 'Hi.', voice: 'joe_en_us', speed: 4, instructions: 'Whisper.' };
    const { headers } = await speak(asked);
    expect(headers.get('x-svc-speed')).toBe('1.3');
    expect(headers.get('x-svc-ignored')).toBe('instructions');
  });

  it.each([
    'alloy',
    'ash',
    'ballad',
    'coral',
    'echo',
    'fable',
    'onyx',
    'nova',
    'sage',
    'shimmer',
    'verse',
    'marin',
    'cedar',
  ])('has a voice for OpenAI’s %s', (name) => {
    expect(new StockVoices().resolve(name).language).toBe('en');
  });

  const long = 'This is one of many sentences that nobody will ever hear. '.repeat(60);

  it('sends before all is spoken, stops when the client leaves, and bills what was sent', {
    timeout: 120_000,
  }, async () => {
    const { speak, server } = await world().serve();
    const before = world().events.length;
    const recorded = world().nextEvent();
    const begun = nextJob('synthesize');
    const leaving = new AbortController();
    const response = await speak({ input: long, response_format: 'pcm' }, { signal: leaving.signal });
    const job = await begun;
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(value!.length).toBeGreaterThan(0);
    // The job has not made all three minutes yet: the response started before its end.
    expect(job.ended).toBe(false);
    let received = value!.length;
    received += (await reader.read()).value?.length ?? 0;
    leaving.abort();
    await expect(job.done).rejects.toMatchObject({ message: 'The work was cancelled.' });
    await recorded;
    await expect.poll(() => server.activeRequests()).toBe(0);
    const [event, ...others] = world().events.slice(before);
    expect(others).toEqual([]);
    // The bill covers everything received, plus at most what sockets and one chunk hold.
    expect(event!.milliseconds).toBeGreaterThanOrEqual(Math.floor(received / 48));
    expect(event!.milliseconds).toBeLessThan(received / 48 + 60_000);
    const row = await acrossTenants(world().storage.db)
      .selectFrom('speak_requests')
      .select('complete')
      .where('id', '=', event!.resource)
      .executeTakeFirst();
    expect(row?.complete).toBe(0);
  });

  it('stops, and bills nothing, when a client leaves that waits for the whole', {
    timeout: 120_000,
  }, async () => {
    const { speak, server } = await world().serve();
    const before = world().events.length;
    const begun = nextJob('synthesize');
    const leaving = new AbortController();
    const left = speak({ input: long, response_format: 'pcm', stream: false }, { signal: leaving.signal });
    const job = await begun;
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect(job.done).rejects.toMatchObject({ message: 'The work was cancelled.' });
    await expect.poll(() => server.activeRequests()).toBe(0);
    expect(world().events.slice(before)).toEqual([]);
  });

  it('keeps a default voice for the organization, canonical, and for it alone', {
    timeout: 120_000,
  }, async () => {
    const ours = await world().serve('org_a0000000000000000000');
    const theirs = await world().serve('org_b0000000000000000000');
    const put = await ours.send('PUT', '/v1/speak/settings', { default_voice: 'es1' });
    expect(await put.json()).toEqual({ default_voice: 'dora_es_es' });
    expect(await (await ours.send('GET', '/v1/speak/settings')).json()).toEqual({
      default_voice: 'dora_es_es',
    });
    expect(await (await theirs.send('GET', '/v1/speak/settings')).json()).toEqual({
      default_voice: 'heart_en_us',
    });
    const spoken = await ours.speak({ input: 'Hola.', response_format: 'pcm', stream: false });
    expect(spoken.headers.get('x-svc-voice')).toBe('dora_es_es');
    expect(await codeOf(await ours.send('PUT', '/v1/speak/settings', { default_voice: 'nobody' }))).toBe(
      'voice_not_found',
    );
  });

  it('speaks slower and faster as asked', async () => {
    const { speak } = await world().serve();
    const length = async (speed: number) =>
      (await (await speak({ input: text, voice: 'joe_en_us', response_format: 'pcm', speed })).arrayBuffer())
        .byteLength;
    const [slow, plain, fast] = [await length(0.7), await length(1), await length(1.3)];
    expect(slow).toBeGreaterThan(1.15 * plain);
    expect(fast).toBeLessThan(0.95 * plain);
  });
});
