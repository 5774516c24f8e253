import { execFile } from 'node:child_process';
import { setTimeout as passed } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { npmMissing, pythonFolder, pythonMissing, required } from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const missing = absent || npmMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());
const folder = workFolder();
afterAll(folder.remove);

const clientOf = (key: string): Client => {
  const { ElevenLabsClient } = required('@elevenlabs/elevenlabs-js') as Client;
  return new ElevenLabsClient({ apiKey: key, baseUrl: `${world!.url}/elevenlabs` });
};
const refusalOf = async (asked: Promise<unknown>): Promise<[number, string]> => {
  const error = await asked.then(
    () => null,
    (thrown: Client) => thrown,
  );
  return [error?.statusCode, JSON.stringify(error?.body)];
};
async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

describe.skipIf(missing || world?.ready === false)('ElevenLabs’ client of npm', { timeout: 240_000 }, () => {
  it('designs voices, saves one, and speaks with it; nobody else can', async () => {
    const client = clientOf(world!.ours.key);
    const designed = await client.textToVoice.design({
      voiceDescription: 'A warm young woman with a British accent',
      text: 'Good evening.',
      modelId: 'eleven_ttv_v3',
    });
    expect(designed.text).toBe('Good evening.');
    expect(designed.previews).toHaveLength(3);
    const [preview] = designed.previews;
    expect(preview).toMatchObject({ mediaType: 'audio/mpeg', language: 'en' });
    expect(preview.durationSecs).toBeGreaterThan(0.5);
    expect(Buffer.from(preview.audioBase64, 'base64').length).toBeGreaterThan(4000);
    const wanted = {
      voiceName: 'Ann',
      voiceDescription: 'A warm young woman',
      generatedVoiceId: preview.generatedVoiceId,
      labels: { use: 'calls' },
    };
    const theirs = clientOf(world!.theirs.key);
    expect((await refusalOf(theirs.textToVoice.create(wanted)))[0]).toBe(404);
    const voice = await client.textToVoice.create(wanted);
    expect(voice).toMatchObject({ name: 'Ann', category: 'generated', isOwner: true });
    const speech = await client.textToSpeech.convert(voice.voiceId, {
      text: 'Hello there.',
      outputFormat: 'pcm_16000',
    });
    expect((await bytesOf(speech)).length).toBeGreaterThan(16_000);
    const listed = await client.voices.search({ search: 'Ann' });
    expect(listed.voices.map((one: Client) => one.voiceId)).toContain(voice.voiceId);
    expect(JSON.stringify(await theirs.voices.getAll())).not.toContain(voice.voiceId);
    expect((await refusalOf(theirs.voices.get(voice.voiceId)))[0]).toBe(404);
    expect((await refusalOf(theirs.voices.delete(voice.voiceId)))[0]).toBe(404);
    expect(await client.voices.delete(voice.voiceId)).toMatchObject({ status: 'ok' });
    expect((await refusalOf(client.voices.get(voice.voiceId)))[0]).toBe(404);
    expect((await refusalOf(client.textToVoice.create({ ...wanted, generatedVoiceId: '..' })))[0]).toBe(404);
    expect((await refusalOf(client.textToVoice.design({ voiceDescription: ' ' })))[0]).toBe(400);
  });

  it('dubs a recording, and fetches it', async () => {
    const client = clientOf(world!.ours.key);
    const said = await client.textToSpeech.convert('alex_es_es', {
      text: 'Buenos días. Mañana por la mañana vamos a la estación de tren con mis padres.',
      outputFormat: 'wav_16000',
    });
    const file = new File([(await bytesOf(said)) as never], 'spanish.wav', { type: 'audio/wav' });
    const submitted = await client.dubbing.create({
      file,
      name: 'Station',
      sourceLang: 'es',
      targetLang: 'en-US',
      dropBackgroundAudio: true,
    });
    expect(submitted.expectedDurationSec).toBeGreaterThan(2);
    const id = submitted.dubbingId;
    const theirs = clientOf(world!.theirs.key);
    expect((await refusalOf(theirs.dubbing.get(id)))[0]).toBe(404);
    expect((await refusalOf(theirs.dubbing.audio.get(id, 'en')))[0]).toBe(404);
    expect((await theirs.dubbing.list()).dubs).toEqual([]);
    let dub = await client.dubbing.get(id);
    expect(dub).toMatchObject({ sourceLanguage: 'es', targetLanguages: ['en'] });
    while (dub.status === 'dubbing') {
      await passed(500);
      dub = await client.dubbing.get(id);
    }
    expect(dub).toMatchObject({ dubbingId: id, status: 'dubbed', error: undefined });
    expect(dub.mediaMetadata.duration).toBeGreaterThan(2);
    const audio = await bytesOf(await client.dubbing.audio.get(id, 'en'));
    expect(audio.length).toBeGreaterThan(8000);
    expect((await refusalOf(client.dubbing.audio.get(id, 'fr')))[0]).toBe(404);
    expect((await client.dubbing.list()).dubs.map((one: Client) => one.dubbingId)).toContain(id);
    expect((await refusalOf(theirs.dubbing.delete(id)))[0]).toBe(404);
    expect(await client.dubbing.delete(id)).toMatchObject({ status: 'ok' });
    expect((await refusalOf(client.dubbing.get(id)))[0]).toBe(404);
  });

  it('is told what a dub lacks', async () => {
    const { dubbing } = clientOf(world!.ours.key);
    const file = () => new File(['no sound'], 'a.wav', { type: 'audio/wav' });
    const about = async (asked: object) => await refusalOf(dubbing.create(asked));
    const cases: [object, string][] = [
      [{ file: file(), targetLang: 'en' }, 'source_lang must be one of'],
      [{ file: file(), sourceLang: 'es', targetLang: 'xx' }, 'target_lang must be one of'],
      [{ file: file(), sourceLang: 'es' }, 'target_lang'],
      [{ sourceLang: 'es', targetLang: 'en' }, 'Send either a file or a source_url.'],
      [{ sourceUrl: 'http://127.0.0.1/x', sourceLang: 'es', targetLang: 'en' }, 'https'],
    ];
    for (const [asked, message] of cases) {
      const [status, body] = await about(asked);
      expect([status, body]).toEqual([400, expect.stringContaining(message)]);
    }
    const [status] = await about({ file: file(), sourceLang: 'es', targetLang: 'en' });
    expect(status).toBe(400);
    expect((await dubbing.list()).dubs).toEqual([]);
  });
});

const withoutPython = absent || pythonMissing();
if (withoutPython) console.warn(`the tests with PyPI's elevenlabs are skipped: ${withoutPython}`);

describe.skipIf(withoutPython || world?.ready === false)('ElevenLabs’ client of PyPI', () => {
  it('clones with consent, designs, and is told what it lacks', async () => {
    const recording = make(folder.path, 'voice.wav', '-t', '8', '-ac', '1', '-ar', '16000');
    const args = ['test/foreign/elevenlabs/studio_client.py', `${world!.url}/elevenlabs`, world!.ours.key];
    const { stdout } = await promisify(execFile)('python3', [...args, recording], {
      env: { ...process.env, PYTHONPATH: pythonFolder },
    });
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(said.unasked).toEqual([400, expect.stringContaining('label consent')]);
    expect(said.clone).toMatch(/^vc_/);
    expect(said.mine).toEqual([said.clone]);
    expect(said.spoken).toBeGreaterThan(16_000);
    expect([said.verification, said.deleted, said.gone[0]]).toEqual([false, 'ok', 404]);
    expect(said.previews).toEqual(Array(3).fill(['audio/mpeg', expect.any(Number)]));
    expect(said.undetected).toEqual([400, expect.stringContaining('source_lang must be one of')]);
    expect(said.dubs).toBe(0);
  }, 240_000);
});
