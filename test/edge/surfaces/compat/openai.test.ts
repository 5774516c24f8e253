// @requirement Vendors' clients: OpenAI's npm and PyPI clients work unchanged.
/** OpenAI's own clients run unchanged against the whole product. */
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../../contract/world.ts';
import { itLong, sampleOf } from '../../../long-tests.ts';
import { absent, RECORDING } from '../../../media/codec/recordings.ts';
import { openaiFolder, openaiMissing } from './vendors.ts';

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const HELLO = 'Hello there. This is a test.';
const BEGINS = { wav: 'RIFF', opus: 'OggS', aac: 'ÿ', flac: 'fLaC' };
const SUBTITLE = /00:00:00[,.]\d{3} --> 00:00:\d\d[,.]\d{3}/;

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const world = absent ? null : await World.open();
afterAll(() => world?.stop());

describe.skipIf(absent || world?.ready === false)('OpenAI’s client of npm', () => {
  const client = new OpenAI({ apiKey: world?.ours.key ?? '', baseURL: `${world?.url}/v1`, maxRetries: 0 });
  const file = () => createReadStream(RECORDING);

  it.each(sampleOf(['srt', 'vtt'] as const, 2))(
    'is given subtitles as %s',
    async (format) => {
      const text = await client.audio.transcriptions.create({
        file: file(),
        model: 'whisper-1',
        response_format: format,
      });
      expect(text).toMatch(SUBTITLE);
      expect(text.startsWith('WEBVTT')).toBe(format === 'vtt');
      expect(plain(text.replaceAll('\n', ' '))).toContain('differs from most');
      const cues = text.split('\n').filter((line) => /[a-z]/.test(line));
      expect(cues[0]).toMatch(/^Printing/);
      expect(text).not.toContain('undefined');
    },
    60_000,
  );

  itLong(
    'is told of a transcript as it grows',
    async () => {
      const asked = { file: file(), model: 'gpt-4o-transcribe', language: 'en', stream: true } as const;
      const events = [];
      for await (const event of await client.audio.transcriptions.create(asked)) events.push(event);
      const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? [event.delta] : []));
      const last = events.at(-1);
      if (last?.type !== 'transcript.text.done') throw new Error(`the last event is ${last?.type}`);
      expect(deltas.join('')).toBe(last.text);
      expect(plain(last.text)).toContain(SPOKEN);
    },
    60_000,
  );

  it('is given speech as events', async () => {
    const asked = { model: 'gpt-4o-mini-tts', voice: 'sage', input: HELLO, stream_format: 'sse' } as const;
    const text = await (await client.audio.speech.create(asked)).text();
    const events = text.split('\n\n').filter((line) => line !== '');
    const types = events.map((line) => (JSON.parse(line.replace(/^data: /, '')) as { type: string }).type);
    expect(types.filter((type) => type === 'speech.audio.delta').length).toBeGreaterThan(0);
    expect(types.at(-1)).toBe('speech.audio.done');
  }, 60_000);

  it('gets a model by each of its names, and is told of none other', async () => {
    for (const [name, id] of [
      ['whisper-1', 'svc-hear'],
      ['TTS-1', 'svc-speak'],
    ] as const)
      expect((await client.models.retrieve(name)).id).toBe(id);
    await expect(client.models.retrieve('dall-e-3')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

const withoutPython = absent || openaiMissing();
if (withoutPython) console.warn(`the test with PyPI's openai is skipped: ${withoutPython}`);

describe.skipIf(withoutPython || world?.ready === false)('OpenAI’s client of PyPI', () => {
  it('works unchanged', async () => {
    const { stdout } = await promisify(execFile)(
      'python3',
      ['test/edge/surfaces/compat/openai_client.py', `${world!.url}/v1`, world!.ours.key, RECORDING],
      { env: { ...process.env, PYTHONPATH: openaiFolder } },
    );
    const said = JSON.parse(stdout);
    for (const text of [said.json, said.text, said.verbose.text, said.done])
      expect(plain(text)).toContain(SPOKEN);
    for (const subtitles of [said.srt, said.vtt]) expect(subtitles).toMatch(SUBTITLE);
    expect(said.verbose).toMatchObject({ words: said.verbose.text, segments: said.verbose.text });
    expect(said.verbose.duration).toBeCloseTo(9.655, 1);
    expect(said.deltas).toBe(said.done);
    expect(new Set(said.events)).toEqual(new Set(['transcript.text.delta', 'transcript.text.done']));
    for (const [format, begins] of Object.entries(BEGINS))
      expect(said.begins[format].startsWith(begins), format).toBe(true);
    expect(said.streamed).toBeGreaterThan(20_000);
    expect([said.speed, said.ignored]).toEqual(['1.3', 'instructions']);
    expect(said.reported).toEqual(['speech.audio.delta', 'speech.audio.done']);
    expect([said.models, said.model]).toEqual([['svc-hear', 'svc-speak'], 'svc-hear']);
    expect(said.refused).toEqual({ status: 400, code: 'invalid_audio' });
  }, 180_000);
});
