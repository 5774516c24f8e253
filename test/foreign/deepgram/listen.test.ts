/** Deepgram's own clients send what telephone bots and transcription pages send: unchanged but base URL and key. */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { convertAudio } from '../../../src/media/engine/index.ts';
import { World } from '../../contract/world.ts';
import { npmMissing, required } from '../../edge/surfaces/compat/vendors.ts';
import { itLong, sampleOf } from '../../long-tests.ts';
import { absent, make, opusPackets, RECORDING, workFolder } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const missing = absent || npmMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());
const folder = workFolder();
afterAll(folder.remove);

const deepgram = (): Client => {
  const { DeepgramClient } = required('@deepgram/sdk') as Client;
  const base = `${world!.url}/deepgram`;
  const socket = base.replace('http', 'ws');
  const environment = { base, production: socket, agent: socket, agentRest: base };
  return new DeepgramClient({ apiKey: world!.ours.key, environment });
};

const telephone = (codec: 'pcmu' | 'pcma'): Buffer => {
  const wav = readFileSync(make(folder.path, 'telephone.wav', '-ar', '8000'));
  return convertAudio('pcm16', wav.subarray(wav.indexOf('data') + 8), codec);
};

async function live(options: object, sound: Buffer | Buffer[], bytesPerMessage: number) {
  const connection = await deepgram().listen.v1.connect({ model: 'nova-3', language: 'en', ...options });
  const reported: Client[] = [];
  connection.on('message', (message: Client) => reported.push(message));
  const closed = new Promise((resolve) => connection.on('close', resolve));
  connection.connect();
  await connection.waitForOpen();
  if (Array.isArray(sound)) for (const message of sound) connection.sendMedia(message);
  else
    for (let at = 0; at < sound.length; at += bytesPerMessage)
      connection.sendMedia(sound.subarray(at, at + bytesPerMessage));
  connection.sendCloseStream({ type: 'CloseStream' });
  await closed;
  const finals = reported.filter(({ type, is_final }) => type === 'Results' && is_final);
  const text = finals.map(({ channel }) => channel.alternatives[0].transcript).join(' ');
  return { text: plain(text), metadata: reported.find(({ type }) => type === 'Metadata'), reported };
}

describe.skipIf(missing || world?.ready === false)('Deepgram’s client of npm', { timeout: 120_000 }, () => {
  const telephones = [
    ['mulaw', 'pcmu'],
    ['alaw', 'pcma'],
  ] as const;
  it.each(sampleOf(telephones, 2))(
    'streams %s at 8 kHz, and is told what changed nothing',
    async (encoding, codec) => {
      const options = { encoding, sample_rate: 8000, diarize: 'true', smart_format: 'true' };
      const { text, metadata } = await live(options, telephone(codec), 1600);
      expect(text).toContain(SPOKEN);
      expect(metadata.duration).toBeCloseTo(9.655, 0);
      const warned = metadata.warnings.map(({ parameter }: Client) => parameter);
      expect(warned.sort()).toEqual(['diarize', 'smart_format']);
    },
  );

  itLong('streams linear16 at a rate that our own stream is not specified for', async () => {
    const wav = readFileSync(make(folder.path, 'odd.wav', '-ar', '22050'));
    const pcm = wav.subarray(wav.indexOf('data') + 8);
    const { text } = await live({ encoding: 'linear16', sample_rate: 22_050 }, pcm, 4411);
    expect(text).toContain(SPOKEN);
  });

  it('has speakers, paragraphs, utterances and the language of a file', async () => {
    const { results, metadata } = await deepgram().listen.v1.media.transcribeFile(
      createReadStream(RECORDING),
      {
        model: 'nova-3',
        diarize: true,
        paragraphs: true,
        utterances: true,
        detect_language: true,
        numerals: true,
      },
    );
    const [channel] = results.channels;
    const [alternative] = channel.alternatives;
    expect(plain(alternative.transcript)).toContain(SPOKEN);
    expect(channel.detected_language).toBe('en');
    expect(new Set(alternative.words.map(({ speaker }: Client) => speaker))).toEqual(new Set([0]));
    expect(plain(alternative.paragraphs.transcript)).toContain(`speaker  ${SPOKEN}`);
    const [paragraph] = alternative.paragraphs.paragraphs;
    expect(paragraph).toMatchObject({ speaker: 0, sentences: expect.any(Array) });
    expect(paragraph.num_words).toBeGreaterThan(10);
    expect(results.utterances[0]).toMatchObject({ speaker: 0, channel: 0, id: expect.any(String) });
    expect(metadata.warnings).toEqual([expect.objectContaining({ parameter: 'numerals' })]);
  });

  itLong('has a file of raw u-law, and one that browsers record', async () => {
    const { media } = deepgram().listen.v1;
    const path = join(folder.path, 'telephone.ulaw');
    writeFileSync(path, telephone('pcmu'));
    const raw = await media.transcribeFile(
      createReadStream(path),
      { model: 'nova-2-phonecall', language: 'en', encoding: 'mulaw' },
      { queryParams: { sample_rate: 8000 } },
    );
    expect(plain(raw.results.channels[0].alternatives[0].transcript)).toContain(SPOKEN);
    expect(raw.metadata.duration).toBeCloseTo(9.655, 1);
    const webm = make(folder.path, 'said.webm', '-c:a', 'libopus', '-live', '1');
    const browser = await media.transcribeFile(createReadStream(webm), { model: 'nova-3', language: 'en' });
    expect(plain(browser.results.channels[0].alternatives[0].transcript)).toContain(SPOKEN);
  });

  itLong('has each channel of a call by itself', async () => {
    const { media } = deepgram().listen.v1;
    // The other channel is delayed by a second.
    const filter = '[0:a]asplit[a][b];[b]adelay=1000[c];[a][c]join=inputs=2:channel_layout=stereo';
    const stereo = make(folder.path, 'stereo.wav', '-filter_complex', filter, '-ar', '16000');
    const options = { model: 'nova-3', language: 'en', multichannel: true, utterances: true };
    const { results, metadata } = await media.transcribeFile(createReadStream(stereo), options);
    expect(metadata.channels).toBe(2);
    const [left, right] = results.channels.map(({ alternatives }: Client) => alternatives[0]);
    expect(plain(left.transcript)).toContain(SPOKEN);
    expect(plain(right.transcript)).toContain(SPOKEN);
    expect(right.words[3].start - left.words[3].start).toBeCloseTo(1, 0);
    expect(new Set(results.utterances.map(({ channel }: Client) => channel))).toEqual(new Set([0, 1]));
    const wav = readFileSync(stereo);
    const raw = join(folder.path, 'stereo.raw');
    writeFileSync(raw, wav.subarray(wav.indexOf('data') + 8));
    const bare = await media.transcribeFile(
      createReadStream(raw),
      { model: 'nova-3', language: 'en', multichannel: true, encoding: 'linear16' },
      { queryParams: { sample_rate: 16_000, channels: 2 } },
    );
    expect(bare.results.channels.length).toBe(2);
    expect(plain(bare.results.channels[1].alternatives[0].transcript)).toContain(SPOKEN);
    const many = make(folder.path, 'many.wav', '-af', 'pan=5.1|FL=c0|FC=c0', '-ar', '16000');
    await expect(media.transcribeFile(createReadStream(many), options)).rejects.toMatchObject({
      statusCode: 400,
    });
    const mono = await media.transcribeFile(createReadStream(RECORDING), options);
    expect(mono.results.channels.length).toBe(1);
  });

  it('is refused what would leave in a text what it asks to take out', async () => {
    const { media } = deepgram().listen.v1;
    const asked = media.transcribeFile(createReadStream(RECORDING), { model: 'nova-3', redact: 'location' });
    await expect(asked).rejects.toMatchObject({ statusCode: 400 });
    const { results } = await media.transcribeFile(createReadStream(RECORDING), {
      model: 'nova-3',
      language: 'en',
      redact: ['pci', 'ssn'],
    });
    expect(plain(results.channels[0].alternatives[0].transcript)).toContain(SPOKEN);
  });

  it('hears turns: one begins, goes on and ends', async () => {
    const connection = await deepgram().listen.v2.connect({
      model: 'flux-general-en',
      encoding: 'mulaw',
      sample_rate: 8000,
      eager_eot_threshold: 0.5,
      eot_timeout_ms: 4000,
    });
    const reported: Client[] = [];
    connection.on('message', (message: Client) => reported.push(message));
    const closed = new Promise((resolve) => connection.on('close', resolve));
    connection.connect();
    await connection.waitForOpen();
    const sound = telephone('pcmu');
    connection.sendMedia(sound.subarray(0, 24_000));
    const has = (event: string) =>
      expect.poll(() => reported.some((one) => one.event === event), { timeout: 30_000 }).toBe(true);
    // Partial transcripts come for audio that is not followed by more at once.
    await has('StartOfTurn');
    connection.sendConfigure({ type: 'Configure', thresholds: { eot_threshold: 0.8 } });
    for (let at = 24_000; at < sound.length; at += 8000) connection.sendMedia(sound.subarray(at, at + 8000));
    connection.sendCloseStream({ type: 'CloseStream' });
    await closed;
    expect(reported[0]).toMatchObject({ type: 'Connected', sequence_id: 0 });
    expect(reported[0].warnings).toEqual([expect.objectContaining({ parameter: 'eot_timeout_ms' })]);
    expect(reported.map(({ sequence_id }) => sequence_id)).toEqual(reported.map((_, at) => at));
    const ends = reported.filter(({ event }) => event === 'EndOfTurn');
    expect(plain(ends.map(({ transcript }) => transcript).join(' '))).toContain(SPOKEN);
    expect(ends.map(({ turn_index }) => turn_index)).toEqual(ends.map((_, at) => at));
    expect(ends[0].words[0]).toMatchObject({ confidence: 0, start: expect.any(Number) });
    const begins = reported.filter(({ event }) => event === 'StartOfTurn');
    expect(begins.length).toBe(ends.length);
    expect(reported.filter(({ type }) => type === 'ConfigureFailure')).toHaveLength(1);
    const at = (event: string) => reported.findIndex((one) => one.event === event);
    expect(at('EagerEndOfTurn')).toBeGreaterThan(at('StartOfTurn'));
    expect(at('EagerEndOfTurn')).toBeLessThan(at('EndOfTurn'));
  });

  it('finds models and the project of its key', async () => {
    const client = deepgram();
    const { stt, tts } = await client.manage.v1.models.list();
    expect(stt[0].languages).toContain('en');
    expect(tts.map(({ canonical_name }: Client) => canonical_name)).toContain('heart_en_us');
    const { projects } = await client.manage.v1.projects.list();
    expect(projects[0].project_id).toBe(world!.ours.projectId);
    const other = client.manage.v1.projects.get(world!.theirs.projectId);
    await expect(other).rejects.toMatchObject({ statusCode: 404 });
  });

  const recorded: [string, string[]][] = [
    ['live.webm', ['-c:a', 'libopus', '-live', '1']],
    ['live.ogg', ['-c:a', 'libopus']],
    ['live.flac', []],
    ['live.mp3', []],
    ['live.wav', ['-ar', '44100', '-ac', '2']],
  ];
  it.each(sampleOf(recorded, 3))('streams %s as it is recorded', async (name, args) => {
    const sound = readFileSync(make(folder.path, name, ...args));
    const { text, metadata } = await live({ encoding: undefined }, sound, 4000);
    expect(text).toContain(SPOKEN);
    expect(metadata.duration).toBeCloseTo(9.655, 0);
  });

  itLong('streams bare Opus packets', async () => {
    const packets = opusPackets(
      readFileSync(make(folder.path, 'packets.ogg', '-c:a', 'libopus', '-ac', '1')),
    );
    const { text } = await live({ encoding: 'opus', sample_rate: 48_000 }, packets, 0);
    expect(text).toContain(SPOKEN);
  });

  it('has words of WebM before the recording ends', async () => {
    const webm = readFileSync(make(folder.path, 'turn.webm', '-c:a', 'libopus', '-live', '1'));
    const connection = await deepgram().listen.v2.connect({ model: 'flux-general-en' });
    const events: Client[] = [];
    connection.on('message', (message: Client) => events.push(message));
    const closed = new Promise((resolve) => connection.on('close', resolve));
    connection.connect();
    await connection.waitForOpen();
    connection.sendMedia(webm.subarray(0, webm.length / 2));
    await expect
      .poll(() => events.some(({ event }) => event === 'StartOfTurn'), { timeout: 30_000 })
      .toBe(true);
    connection.sendMedia(webm.subarray(webm.length / 2));
    connection.sendCloseStream({ type: 'CloseStream' });
    await closed;
    const ends = events.filter(({ event }) => event === 'EndOfTurn');
    expect(plain(ends.map(({ transcript }) => transcript).join(' '))).toContain(SPOKEN);
  });

  it('is told which container cannot be read as it is recorded', async () => {
    const m4a = readFileSync(make(folder.path, 'live.m4a', '-c:a', 'aac'));
    const { reported } = await live({ encoding: undefined }, m4a, 4000);
    expect(reported[0]).toMatchObject({ type: 'Error', err_code: 'invalid_audio' });
    expect(reported[0].err_msg).toContain('MP4');
  });
});
