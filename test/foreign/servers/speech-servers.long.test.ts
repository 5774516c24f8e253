// @requirement Providers: Servers of others speak and recognize in calls: faster-whisper-server and local-tts-studio (Piper) of PyPI.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { openRecognitionProviders } from '../../../src/main/recognition-providers.ts';
import { openVoiceProviders } from '../../../src/main/voice-providers.ts';
import { speechServersFolder, speechServersMissing } from '../../edge/surfaces/compat/vendors.ts';
import { agentSaid, recordOf } from '../../edge/surfaces/omni/fault-helpers.ts';
import { absent, Client, openOmni } from '../../edge/surfaces/omni/server.ts';
import { freePort } from '../../free-port.ts';
import { absent as absentAudio } from '../../media/codec/recordings.ts';
import { piperVoice } from '../../speech/added-models/piper-voice.ts';
import { whisperWeights } from '../../speech/added-models/whisper-weights.ts';

const TEXT = 'We are open from nine until five, and you may come at any time you like.';
const PIPER_RATE = 22_050;
const log = createLog({ level: 'silent' });

const missing = absent || absentAudio || speechServersMissing();
if (missing) console.warn(`the tests of other people's speech servers are skipped: ${missing}`);

const folder = mkdtempSync(join(tmpdir(), 'speech-servers-'));
const children: ChildProcess[] = [];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves with the port on which the server answers `path`. */
async function serve(program: (port: number) => string[], path: string, more: object = {}): Promise<number> {
  const port = await freePort();
  const child = spawn('python3', program(port), {
    env: {
      ...process.env,
      PYTHONPATH: speechServersFolder,
      HF_HUB_OFFLINE: '1',
      OMP_NUM_THREADS: '1',
      ...more,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let said = '';
  child.stderr!.on('data', (chunk) => {
    said += chunk;
  });
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${said}`);
    return await fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await expect.poll(answers, { timeout: 120_000, interval: 200 }).toBe(true);
  return port;
}

async function piper(): Promise<number> {
  const voices = join(folder, 'voices');
  mkdirSync(voices);
  const voice = basename(await piperVoice(voices), '.onnx');
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ api_default_voice: voice }));
  const program = 'from local_tts.cli import main; main()';
  return await serve((port) => ['-c', program, '--port', String(port)], '/v1/models', {
    LOCAL_TTS_DATA_DIR: folder,
  });
}

const fasterWhisper = async (): Promise<number> => {
  const model = await whisperWeights();
  return await serve(
    (port) => ['-m', 'faster_whisper_server', model, '--host', '127.0.0.1', '--port', String(port)],
    '/health',
  );
};

describe.skipIf(missing !== '')('speech servers of PyPI', { timeout: 300_000 }, () => {
  it('speak a call with a voice of Piper, and recognize what was heard', async () => {
    const voice = {
      name: 'default',
      kind: 'openai',
      url: `http://127.0.0.1:${await piper()}/v1`,
      voice: 'its own',
      rate: PIPER_RATE,
      first_audio_ms: 30_000,
      between_audio_ms: 30_000,
    };
    const config = loadConfig({
      TRUNKLINE_VOICE_PROVIDERS: JSON.stringify([voice]),
      TRUNKLINE_RECOGNITION_PROVIDERS: JSON.stringify([
        { name: 'default', kind: 'openai', url: `http://127.0.0.1:${await fasterWhisper()}/v1` },
      ]),
    });
    const voices = openVoiceProviders(config, systemClock, log);
    const recognition = openRecognitionProviders(config, systemClock, log);
    closing.push(voices.close, recognition.close);
    const opened = await openOmni({ providers: voices.providers });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure({ greeting: TEXT });
    await client.silenceUntil(() => agentSaid(client) !== '');
    client.control({ type: 'end' });
    await client.closed();
    const record = await recordOf(opened, id);
    expect(record.degraded).toEqual([]);
    expect(record.transcript).toEqual([`agent: ${TEXT}`]);
    const { providers } = JSON.parse(record.row.turns ?? '{}') as { providers: Record<string, unknown>[] };
    expect(providers).toMatchObject([{ kind: 'speech', requests: 1, failures: 0, characters: TEXT.length }]);

    const [listener] = recognition.providers.chainOf(null);
    const stream = listener!.listen({ rate: 8_000, language: 'en', vocabulary: ['nine'] });
    stream.push(Buffer.concat(client.audio));
    expect(await stream.text()).toMatch(/open from (nine|9) (until|to) (five|5).*come at any time you like/i);
    stream.close();
  });
});
