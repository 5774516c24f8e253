import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { livekitFolder, livekitMissing } from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';

interface Report {
  readonly text: string;
  readonly kinds: readonly string[];
  readonly seconds: Readonly<Record<string, number>>;
  readonly called: readonly object[];
  readonly said: string;
}

const SPOKEN = 'printing in the only sense with which we are at present concerned';
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const folder = workFolder();
afterAll(folder.remove);
const missing = absent || livekitMissing();
const model = missing ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = missing
  ? null
  : await World.open({ settings: { TRUNKLINE_BRAIN_URL: model!.url, TRUNKLINE_BRAIN_MODEL: 'scripted' } });
afterAll(() => world?.stop());

const script = join(import.meta.dirname, 'plugins.py');

async function run(plugin: string): Promise<Report> {
  const pcm = make(folder.path, 'said.pcm', '-t', '4.2', '-ac', '1', '-ar', '16000', '-f', 's16le');
  const args = [script, world!.url, world!.ours.key, pcm, plugin];
  const env = { ...process.env, PYTHONPATH: livekitFolder };
  const { stdout } = await promisify(execFile)('python3', args, { env });
  return JSON.parse(stdout) as Report;
}

describe.skipIf(missing || world?.ready === false)('LiveKit', { timeout: 180_000 }, () => {
  it.each([
    'openai.STT',
    'openai.STT realtime',
    'deepgram.STT',
    'deepgram.STTv2',
    'elevenlabs.STT',
    'elevenlabs.STT realtime',
    'elevenlabs.STT realtime vad',
  ])('hears by %s', async (plugin) => {
    expect(plain((await run(plugin)).text)).toContain(SPOKEN);
  });

  it.each(['openai.TTS', 'openai.TTS tts-1', 'deepgram.TTS', 'elevenlabs.TTS'])(
    'speaks by %s',
    async (plugin) => {
      for (const seconds of Object.values((await run(plugin)).seconds)) {
        expect(seconds).toBeGreaterThan(1);
        expect(seconds).toBeLessThan(8);
      }
    },
  );

  it('talks and calls a function by openai.realtime.RealtimeModel', async () => {
    const { called, said } = await run('openai.realtime.RealtimeModel');
    expect(called).toEqual([{ order: '4711' }]);
    expect(said).toContain('It ships on Friday');
  });

  it('is spoken to, answers aloud and is interrupted by openai.realtime.RealtimeModel', async () => {
    const { text, seconds } = await run('openai.realtime.RealtimeModel aloud');
    expect(plain(text)).toContain(SPOKEN);
    expect(seconds.answer).toBeGreaterThan(1);
    // The whole answer takes some 12 s.
    expect(seconds.answer).toBeLessThan(5);
  });
});
