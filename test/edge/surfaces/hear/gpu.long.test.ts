// @requirement Hear: Streams and files are recognized on a GPU in batches, and on the processor once it fails.
/** The GPU is the processor: see native/test/onnx/fakes/simulated_cuda.cc. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import type { EngineOptions } from '../../../../src/media/engine/index.ts';
import { SimulatedCuda } from '../../../main/simulated-cuda.ts';
import { bearer } from '../../server/fixtures/start.ts';
import {
  absent,
  type HearServer,
  openHear,
  plain,
  RECORDING,
  readPcm,
  SPOKEN,
  StreamClient,
} from './server.ts';

const models = new Models();
const form = models.status('whisper-base-gpu');
if (!form.ready && process.env.CI === 'true') throw new Error(form.detail);
if (!form.ready) console.warn(`recognition on a GPU is not tested: ${form.detail}`);

const cuda = new SimulatedCuda();
afterAll(() => cuda.remove());

const onGpu: EngineOptions = {
  library: cuda.library,
  device: 'auto',
  settings: { 'device.windows': '8', 'device.gather_ms': '3' },
};
const rate = 16_000;
const pcm = atRate(readPcm(RECORDING));

/** The nearest sample is enough for recognition. */
function atRate(read: { pcm: Buffer; rate: number }): Buffer {
  const out = Buffer.alloc(Math.floor(((read.pcm.length / 2) * rate) / read.rate) * 2);
  for (let at = 0; at < out.length; at += 2)
    out.writeInt16LE(read.pcm.readInt16LE(Math.floor((at / 2) * (read.rate / rate)) * 2), at);
  return out;
}

async function streamed({ url }: HearServer): Promise<string> {
  const client = new StreamClient(url, `language=en&sample_rate=${rate}`);
  await client.opened;
  client.say(pcm, rate);
  client.say(Buffer.alloc(4 * rate), rate);
  await client.until(() => client.of('final').length > 0);
  client.control({ type: 'close' });
  expect((await client.closed).code).toBe(1000);
  return plain(
    client
      .of('final')
      .map(({ text }) => text)
      .join(' '),
  );
}

async function uploaded({ url }: HearServer): Promise<string> {
  const body = new FormData();
  body.append('language', 'en');
  body.append('file', new Blob([new Uint8Array(readFileSync(RECORDING))]), 'speech.wav');
  const answer = await fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', headers: bearer, body });
  expect(answer.status).toBe(200);
  return plain(((await answer.json()) as { text: string }).text);
}

const batches = ({ engine }: HearServer) =>
  engine.kinds().find(({ name }) => name === 'hear')!.counts.gpu_batches_total ?? 0;

const whisperOn = ({ engine }: HearServer) =>
  engine.stats().models.find(({ name }) => name === 'whisper-base-gpu/decoder.onnx');

it.skipIf(absent || !form.ready)(
  'recognizes streams and files there as on the processor, and goes on when it fails',
  async () => {
    const there = await openHear({ engine: onGpu });
    expect(whisperOn(there)).toMatchObject({ device: 'cuda', failed: false });
    const measured = batches(there);
    const [first, second, file] = await Promise.all([streamed(there), streamed(there), uploaded(there)]);
    const after = batches(there);
    expect(after).toBeGreaterThan(measured);

    const here = await openHear();
    expect(whisperOn(here)).toBeUndefined();
    expect(batches(here)).toBe(0);
    expect(first).toContain(SPOKEN);
    expect(first).toBe(await streamed(here));
    expect(second).toBe(first);
    expect(file).toBe(await uploaded(here));

    cuda.fail('run', 'CUDA error 700: an illegal memory access was encountered');
    expect(await streamed(there)).toBe(first);
    expect(await uploaded(there)).toBe(file);
    expect(whisperOn(there)).toMatchObject({
      device: 'cpu',
      failed: true,
      reason: expect.stringContaining('CUDA error 700'),
    });
  },
  180_000,
);
