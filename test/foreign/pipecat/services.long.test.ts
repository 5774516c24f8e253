import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { pipecatFolder, pipecatMissing } from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';
import { tlsProxy } from '../tls-proxy.ts';

interface Report {
  readonly service: string;
  readonly text: string;
  readonly interims: number;
  readonly seconds: number;
  readonly spoken: string;
  readonly called: readonly object[];
  readonly errors: readonly string[];
}

const SPOKEN = 'printing in the only sense with which we are at present concerned';
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const folder = workFolder();
afterAll(folder.remove);
const missing = absent || pipecatMissing();
const model = missing ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = missing
  ? null
  : await World.open({ settings: { TRUNKLINE_BRAIN_URL: model!.url, TRUNKLINE_BRAIN_MODEL: 'scripted' } });
afterAll(() => world?.stop());
const tls = world === null ? null : await tlsProxy(world.url);
afterAll(() => tls?.close());

const script = join(import.meta.dirname, 'services.py');

async function run(service: string): Promise<Report> {
  const pcm = make(folder.path, 'said.pcm', '-t', '4.2', '-ac', '1', '-ar', '16000', '-f', 's16le');
  const { stdout } = await promisify(execFile)(
    'python3',
    [script, world!.url, tls!.host, world!.ours.key, pcm, service],
    { env: { ...process.env, PYTHONPATH: pipecatFolder, SSL_CERT_FILE: tls!.ca } },
  );
  return JSON.parse(stdout) as Report;
}

describe.skipIf(missing || world?.ready === false)('Pipecat', { timeout: 180_000 }, () => {
  it.each([
    'OpenAISTTService',
    'OpenAIRealtimeSTTService',
    'OpenAIRealtimeSTTService server_vad',
    'DeepgramSTTService',
    'DeepgramFluxSTTService',
    'ElevenLabsSTTService',
    'ElevenLabsRealtimeSTTService',
    'ElevenLabsRealtimeSTTService vad',
  ])('hears by %s', async (service) => {
    const { text, errors } = await run(service);
    expect(errors).toEqual([]);
    expect(plain(text)).toContain(SPOKEN);
  });

  it.each([
    'OpenAITTSService',
    'DeepgramTTSService',
    'DeepgramHttpTTSService',
    'ElevenLabsTTSService',
    'ElevenLabsHttpTTSService',
  ])('speaks by %s', async (service) => {
    const { seconds, errors } = await run(service);
    expect(errors).toEqual([]);
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(8);
  });

  it('talks and calls a function by OpenAIRealtimeLLMService', async () => {
    const { called, spoken, seconds, errors } = await run('OpenAIRealtimeLLMService');
    expect(errors).toEqual([]);
    expect(called).toEqual([{ order: '4711' }]);
    expect(spoken).toContain('It ships on Friday');
    expect(seconds).toBeGreaterThanOrEqual(1);
  });

  it('is spoken to and answers aloud by OpenAIRealtimeLLMService', async () => {
    const { text, spoken, seconds, errors } = await run('OpenAIRealtimeLLMService aloud');
    expect(errors).toEqual([]);
    expect(plain(text)).toContain(SPOKEN);
    expect(spoken).toContain('We are open from nine');
    expect(seconds).toBeGreaterThanOrEqual(1);
  });
});
