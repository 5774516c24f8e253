import { spawnSync } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import type { TranscriptionDiarized } from 'openai/resources/audio/transcriptions';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { long } from '../../long-tests.ts';
import { absent, ffmpeg, make, RECORDING, SPEECH, workFolder } from '../../media/codec/recordings.ts';

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const SPANISH = join(SPEECH, 'css10_refs/19demarzo_0008.wav');
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const world = absent ? null : await World.open();
afterAll(() => world?.stop());
const folder = workFolder();
afterAll(folder.remove);

describe.skipIf(absent || world?.ready === false)('OpenAI’s client with files', { timeout: 120_000 }, () => {
  const client = new OpenAI({ apiKey: world?.ours.key ?? '', baseURL: `${world?.url}/v1`, maxRetries: 0 });
  const authorization = `Bearer ${world?.ours.key}`;
  const file = () => createReadStream(RECORDING);

  it('is served by any model that it names, and told which', async () => {
    const asked = { file: file(), model: 'gpt-transcribe', language: 'en-US', prompt: 'A lecture.' } as const;
    const { data, response } = await client.audio.transcriptions.create(asked).withResponse();
    expect(plain(data.text)).toContain(SPOKEN);
    expect(data.usage).toEqual({ type: 'duration', seconds: 10 });
    expect(response.headers.get('x-svc-model')).toBe('svc-hear');
    expect(response.headers.get('x-svc-ignored')).toBe('prompt');
  });

  it('gives a list of languages: one is taken, and of several the spoken one is found', async () => {
    const transcribe = (...languages: string[]) =>
      client.audio.transcriptions.create({ file: file(), model: 'gpt-transcribe', languages } as never);
    await expect(transcribe('pl')).rejects.toMatchObject({ status: 400, code: 'unsupported_language' });
    for (const languages of [['en-US'], ['es', 'en']])
      expect(plain((await transcribe(...languages)).text)).toContain(SPOKEN);
  });

  it('is told a language, and segments with all that Whisper’s have', async () => {
    const verbose = await client.audio.transcriptions.create({
      file: file(),
      model: 'whisper-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['segment', 'word'],
    });
    expect(verbose).toMatchObject({ language: 'english', usage: { type: 'duration', seconds: 10 } });
    expect(verbose.duration).toBeCloseTo(9.655, 1);
    for (const [at, segment] of (verbose.segments ?? []).entries()) {
      expect(segment).toEqual({
        id: at,
        seek: Math.round(segment.start * 100),
        start: expect.any(Number),
        end: expect.any(Number),
        text: expect.any(String),
        tokens: [],
        temperature: 0,
        avg_logprob: 0,
        compression_ratio: expect.any(Number),
        no_speech_prob: 0,
      });
      expect(segment.compression_ratio).toBeGreaterThan(0.5);
    }
    expect(verbose.segments?.length).toBeGreaterThan(0);
  });

  it('sends what browsers record: Opus in WebM', async () => {
    const webm = make(folder.path, 'said.webm', '-c:a', 'libopus', '-live', '1');
    const said = await client.audio.transcriptions.create({
      file: createReadStream(webm),
      model: 'whisper-1',
      language: 'en',
    });
    expect(plain(said.text)).toContain(SPOKEN);
  });

  it('lets fields of other makers go, and says which; ours are told of a wrong one', async () => {
    const post = async (model: string) => {
      const form = new FormData();
      form.append('file', new Blob([readFileSync(RECORDING)]), 'speech.wav');
      form.append('language', 'en');
      form.append('chunking_strategy[type]', 'server_vad');
      form.append('chunking_strategy[threshold]', '0.5');
      form.append('vad_filter', 'true');
      form.append('model', model);
      const headers = { authorization };
      return await fetch(`${world!.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
    };
    const served = await post('Systran/faster-whisper-small');
    expect(served.status).toBe(200);
    expect(served.headers.get('x-svc-ignored')).toBe('chunking_strategy, vad_filter');
    const refused = await post('svc-hear');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'vad_filter' } });
  });

  it('translates into English', async () => {
    const spanish = { file: createReadStream(SPANISH), model: 'whisper-1' } as const;
    const { text } = await client.audio.translations.create(spanish);
    expect(text).toMatch(/\b(the|of|war)\b/i);
    expect(text).not.toMatch(/guerra/i);
    const verbose = await client.audio.translations.create({
      file: createReadStream(SPANISH),
      model: 'whisper-1',
      response_format: 'verbose_json',
    });
    expect(verbose).toMatchObject({ task: 'translate', language: 'english' });
    const srt = await client.audio.translations.create({
      file: createReadStream(SPANISH),
      model: 'whisper-1',
      response_format: 'srt',
    });
    expect(srt).toMatch(/^1\n00:00:\d\d,\d{3} --> 00:00:\d\d,\d{3}\n\w/);
  });

  it('tells who speaks', async () => {
    const path = join(folder.path, 'two.wav');
    const clips = ['katie', 'steve', 'katie'].flatMap((who) => [
      '-i',
      join(SPEECH, `azure_samples/enrollment_audio_${who}.wav`),
    ]);
    const filter = '[0:a][1:a][2:a]concat=n=3:v=0:a=1';
    const made = spawnSync(ffmpeg, ['-loglevel', 'error', ...clips, '-filter_complex', filter, path]);
    expect(made.status).toBe(0);
    const diarized = (await client.audio.transcriptions.create({
      file: createReadStream(path),
      model: 'gpt-4o-transcribe-diarize',
      response_format: 'diarized_json',
      chunking_strategy: 'auto',
      language: 'en',
    })) as unknown as TranscriptionDiarized;
    const speakers = diarized.segments.map(({ speaker }) => speaker);
    expect(speakers.filter((one, at) => one !== speakers[at - 1])).toEqual(['A', 'B', 'A']);
    expect(diarized.segments[0]).toMatchObject({ type: 'transcript.text.segment', id: 'seg_0' });
    expect(diarized.segments.map(({ text }) => text).join(' ')).toBe(diarized.text);
  });

  it('speaks with a voice by its id, and with any model', async () => {
    const response = await client.audio.speech.create({
      model: 'kokoro',
      voice: { id: 'joe_en_us' },
      input: 'Hello.',
      response_format: 'pcm',
      ...{ lang_code: 'a' },
    });
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    expect(response.headers.get('x-svc-voice')).toBe('joe_en_us');
    expect(response.headers.get('x-svc-model')).toBe('svc-speak');
    expect(response.headers.get('x-svc-ignored')).toBe('lang_code');
    const strict = {
      model: 'svc-speak',
      voice: 'joe_en_us',
      input: 'Hello.',
      ...{ lang_code: 'a' },
    } as const;
    await expect(client.audio.speech.create(strict)).rejects.toMatchObject({
      status: 400,
      param: 'lang_code',
    });
  });

  it('hears what it speaks while a long text is still being spoken', async () => {
    const sentence = 'This is a sentence of a text that is as long as a text may be, and it goes on. ';
    // The short form speaks a quarter of the longest text.
    const input = sentence.repeat(60).slice(0, long ? 4096 : 1024);
    const asked = performance.now();
    const response = await client.audio.speech.create({
      model: 'tts-1',
      voice: 'joe_en_us',
      input,
      response_format: 'pcm',
    });
    let first = 0;
    let bytes = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      if (bytes === 0) first = performance.now();
      bytes += chunk.length;
    }
    expect(response.headers.get('x-svc-stream')).toBe('streamed');
    expect(first - asked).toBeLessThan((performance.now() - asked) / 2);
    expect(bytes / 48_000).toBeGreaterThan(input.length / 35);
  }, 600_000);

  it('lists voices where speech servers have them', async () => {
    const { voices } = (await client.get('/audio/voices')) as { voices: { id: string; language: string }[] };
    expect(voices.find(({ id }) => id === 'joe_en_us')).toMatchObject({ language: 'en' });
  });

  it('is told what no model of this work is', async () => {
    const whisper = { model: 'whisper-1', voice: 'alloy', input: 'Hello.' } as const;
    await expect(client.audio.speech.create(whisper)).rejects.toMatchObject({ code: 'unsupported_model' });
    const tts = { model: 'tts-1', file: await toFile(readFileSync(RECORDING), 'speech.wav') };
    await expect(client.audio.transcriptions.create(tts)).rejects.toMatchObject({
      code: 'unsupported_model',
    });
  });
});
