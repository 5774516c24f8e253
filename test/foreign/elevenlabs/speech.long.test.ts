import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { World } from '../../contract/world.ts';
import { npmMissing, pythonFolder, pythonMissing, required } from '../../edge/surfaces/compat/vendors.ts';
import { absent } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const RACHEL = '21m00Tcm4TlvDq8ikWAM';
const missing = absent || npmMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());
const isAbsent = missing !== '' || world?.ready === false;

const elevenlabs = (): Client => {
  const { ElevenLabsClient } = required('@elevenlabs/elevenlabs-js') as Client;
  return new ElevenLabsClient({ apiKey: world!.ours.key, baseUrl: `${world!.url}/elevenlabs` });
};

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

async function open(path: string) {
  const url = `${world!.url.replace('http', 'ws')}/elevenlabs/v1/text-to-speech/${RACHEL}/${path}`;
  const socket = new WebSocket(url, { headers: { 'xi-api-key': world!.ours.key } });
  const reported: Client[] = [];
  socket.on('message', (data) => reported.push(JSON.parse(String(data))));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await once(socket, 'open');
  return { socket, reported, closed, send: (message: object) => socket.send(JSON.stringify(message)) };
}

const secondsOf = (reported: Client[], bytesPerSecond: number): number =>
  reported.reduce((sum, { audio }) => sum + Buffer.from(audio ?? '', 'base64').length, 0) / bytesPerSecond;
const charsOf = (reported: Client[]): string =>
  reported.flatMap(({ alignment }) => alignment?.chars ?? []).join('');

describe.skipIf(isAbsent)('ElevenLabs’ client of npm', { timeout: 120_000 }, () => {
  const text = 'Hello there. This is a test.';

  it.each([
    ['pcm_8000', 16_000],
    ['pcm_22050', 44_100],
    ['pcm_24000', 48_000],
    ['pcm_44100', 88_200],
    ['ulaw_8000', 8000],
    ['pcm_48000', 96_000],
  ])('has %s of a voice by ElevenLabs’ id', async (outputFormat, bytesPerSecond) => {
    const { data, rawResponse } = await elevenlabs()
      .textToSpeech.stream(RACHEL, { text, outputFormat, modelId: 'eleven_flash_v2_5' })
      .withRawResponse();
    const seconds = (await bytesOf(data)).length / bytesPerSecond;
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(6);
    expect(rawResponse.headers.get('x-svc-voice')).toBe('heart_en_us');
  });

  it.each([
    ['wav_44100', 88_200],
    ['ulaw_8000', 8000],
    ['pcm_24000', 48_000],
  ])('has %s with the times of its characters', async (outputFormat, bytesPerSecond) => {
    const { audioBase64, alignment } = await elevenlabs().textToSpeech.convertWithTimestamps(RACHEL, {
      text,
      outputFormat,
    });
    const seconds = Buffer.from(audioBase64, 'base64').length / bytesPerSecond;
    expect(alignment.characters.join('')).toBe(text);
    expect(alignment.characterEndTimesSeconds.at(-1)).toBeCloseTo(seconds, 1);
    const second = alignment.characterStartTimesSeconds[text.indexOf('This')];
    expect(second).toBeGreaterThan(0.4);
    expect(second).toBeLessThan(seconds - 0.4);
  });

  it.each([
    ['pcm_24000', 48_000],
    ['pcm_22050', 44_100],
    ['mp3_44100_128', 8000],
  ])(
    'streams %s while it is spoken, with the times of its characters',
    async (outputFormat, bytesPerSecond) => {
      const long =
        'Printing, in the only sense with which we are at present concerned, differs from most arts.';
      const lines: Client[] = [];
      const stream = await elevenlabs().textToSpeech.streamWithTimestamps(RACHEL, {
        text: long,
        outputFormat,
      });
      for await (const line of stream) lines.push(line);
      const sizes = lines.map(({ audioBase64 }) => Buffer.from(audioBase64, 'base64').length);
      const seconds = sizes.reduce((sum, size) => sum + size, 0) / bytesPerSecond;
      expect(seconds).toBeGreaterThan(3);
      // Readers of lines, such as aiohttp's, refuse long ones.
      expect(Math.max(...sizes) / bytesPerSecond).toBeLessThanOrEqual(0.21);
      expect(lines.flatMap(({ alignment }) => alignment?.characters ?? []).join('')).toBe(long);
      const starts = lines.flatMap(({ alignment }) => alignment?.characterStartTimesSeconds ?? []);
      expect(starts).toEqual([...starts].sort((one, other) => one - other));
      expect(starts.at(-1)).toBeGreaterThan(seconds / 2);
      expect(starts.at(-1)).toBeLessThan(seconds + 0.001);
    },
  );
});

describe.skipIf(isAbsent)('stream-input', { timeout: 120_000 }, () => {
  it('speaks text while it is written, with the times of its characters, and ends with an empty one', async () => {
    const { reported, closed, send } = await open(
      'stream-input?model_id=eleven_turbo_v2_5&output_format=pcm_22050',
    );
    send({ text: ' ', voice_settings: { stability: 0.5, similarity_boost: 0.8 }, xi_api_key: 'unused' });
    send({ text: 'Hello there, my friend. ', try_trigger_generation: true });
    send({ text: 'How do you ' });
    send({ text: 'do? ' });
    send({ text: '' });
    expect(await closed).toBe(1000);
    expect(reported.at(-1)).toEqual({ audio: null, isFinal: true });
    expect(secondsOf(reported, 44_100)).toBeGreaterThan(1);
    expect(charsOf(reported).trim()).toBe('Hello there, my friend. How do you do?');
    for (const { alignment } of reported.filter((one) => one.alignment)) {
      const { chars, charStartTimesMs, charDurationsMs } = alignment;
      expect([charStartTimesMs.length, charDurationsMs.length]).toEqual([chars.length, chars.length]);
    }
  });

  it('is told of a voice that is not there', async () => {
    const url = `${world!.url.replace('http', 'ws')}/elevenlabs/v1/text-to-speech/nobody/stream-input`;
    const socket = new WebSocket(url, { headers: { 'xi-api-key': world!.ours.key } });
    await once(socket, 'open');
    socket.send(JSON.stringify({ text: 'Hello.', flush: true }));
    const [data] = await once(socket, 'message');
    expect(JSON.parse(String(data))).toMatchObject({ error: 'voice_not_found', code: 1008 });
    expect((await once(socket, 'close'))[0]).toBe(1008);
  });
});

describe.skipIf(isAbsent)('multi-stream-input', { timeout: 120_000 }, () => {
  it('speaks several texts, tells which is which, and ends each', async () => {
    const { reported, closed, send } = await open(
      'multi-stream-input?output_format=ulaw_8000&auto_mode=true',
    );
    send({ text: ' ', context_id: 'one', voice_settings: { stability: 0.5 } });
    send({ text: 'Hello from the first. ', context_id: 'one' });
    send({ text: 'And from the second. ', context_id: 'two', flush: true });
    send({ text: '', context_id: 'one' });
    send({ context_id: 'one', flush: true });
    send({ context_id: 'one', close_context: true });
    await expect
      .poll(() => reported.some((one) => one.isFinal && one.contextId === 'one'), { timeout: 60_000 })
      .toBe(true);
    send({ close_socket: true });
    expect(await closed).toBe(1000);
    const of = (id: string) => reported.filter(({ contextId }) => contextId === id);
    expect(charsOf(of('one')).trim()).toBe('Hello from the first.');
    expect(charsOf(of('two')).trim()).toBe('And from the second.');
    expect(secondsOf(of('one'), 8000)).toBeGreaterThan(0.5);
    expect(of('two').at(-1)).toEqual({ isFinal: true, contextId: 'two' });
  });
});

const REALTIME = `
import sys
from elevenlabs.client import ElevenLabs
url, key = sys.argv[1:]
client = ElevenLabs(api_key=key, base_url=url + "/elevenlabs")
# The client takes https for granted; this server is on loopback.
speech = client.text_to_speech
speech._ws_base_url = url.replace("http", "ws") + "/elevenlabs"
def text():
    yield "Hello there, my friend."
    yield "How do you do?"
audio = b"".join(speech.convert_realtime("${RACHEL}", text=text(), model_id="eleven_turbo_v2", output_format="pcm_16000"))
print(len(audio))
`;

describe.skipIf(isAbsent || pythonMissing() !== '')('ElevenLabs’ client of PyPI', () => {
  it('speaks text while it is written', async () => {
    const { stdout } = await promisify(execFile)('python3', ['-c', REALTIME, world!.url, world!.ours.key], {
      env: { ...process.env, PYTHONPATH: pythonFolder },
    });
    expect(Number(stdout) / 32_000).toBeGreaterThan(1);
  }, 120_000);
});
