// @requirement Call quality: Noise suppression for the people who listen keeps the voice and its time.
import { afterEach, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { convertAudio, Engine, type EngineOptions } from '../../../src/media/engine/index.ts';
import { DenoisedAudio, pcm16At, ULAW } from '../../../src/telephony/dialling/index.ts';
import { levelOf, noise } from '../../media/engine/fixtures/noise.ts';

const models = new Models();
const absent = !models.status('denoiser').ready;
if (absent && process.env.CI === 'true') throw new Error('absent: denoiser');
const FILES = { models: models.wholeFiles(), device: 'cpu' } as const;

describe.skipIf(absent)('the audio of a person who listens', () => {
  const engines: Engine[] = [];
  afterEach(() => {
    for (const engine of engines.splice(0)) engine.destroy();
  });
  const opened = async (options: EngineOptions = {}) => {
    const engine = new Engine({ ...FILES, ...options });
    engines.push(engine);
    await engine.prepared();
    return engine;
  };

  const heardOf = async (engine: Engine, format: typeof ULAW, frames: readonly Buffer[]) => {
    const heard: Buffer[] = [];
    let arrived: () => void = () => undefined;
    const denoised = DenoisedAudio.open(engine, format, 'live', (bytes) => {
      heard.push(Buffer.from(bytes));
      arrived();
    });
    for (const frame of frames) denoised?.hear(frame);
    // Audio that is newer than 45 ms waits for more, in whole frames of 20 ms.
    while (heard.length < frames.length - 3)
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    return { denoised, heard };
  };
  const framesOf = (pcm: Buffer, bytes: number): Buffer[] =>
    Array.from({ length: pcm.length / bytes }, (_, at) => pcm.subarray(at * bytes, (at + 1) * bytes));

  it.each([
    ['u-law of a telephone', ULAW],
    ['linear samples of a browser', pcm16At(24_000)],
  ])('comes without its noise, as %s', async (_what, format) => {
    const engine = await opened();
    const line = noise(format.rate * 0.5);
    const wire = Buffer.from(convertAudio('pcm16', line, format.wire));
    const frames = framesOf(wire, 20 * format.bytesPerMs);
    const { denoised, heard } = await heardOf(engine, format, frames);
    const linear = Buffer.from(convertAudio(format.wire, Buffer.concat(heard), 'pcm16'));
    expect(levelOf(linear.subarray(linear.length / 2))).toBeLessThan(levelOf(line) / 4);
    expect(heard.every(({ length }) => length === frames[0]?.length)).toBe(true);
    denoised?.close();
  });

  it('is not opened where the engine is full, or without the model', async () => {
    const full = await opened({ capacity: 1 });
    expect(DenoisedAudio.open(full, ULAW, 'live', () => undefined)).toBeNull();
    const bare = await opened({ models: {} });
    expect(DenoisedAudio.open(bare, ULAW, 'live', () => undefined)).toBeNull();
  });

  it('leaves a sandbox call the capacity that is not kept for live calls', async () => {
    const engine = new Engine({ ...FILES, slots: 4 }, { liveReserve: 0.5 });
    engines.push(engine);
    await engine.prepared();
    const opens = (environment: 'live' | 'sandbox') =>
      DenoisedAudio.open(engine, ULAW, environment, () => undefined) !== null;
    expect([1, 2, 3].map(() => opens('sandbox'))).toEqual([true, true, false]);
    expect([1, 2, 3].map(() => opens('live'))).toEqual([true, true, false]);
  });

  it('passes as it is once the lane has ended', async () => {
    const heard: Uint8Array[] = [];
    const engine = await opened();
    const denoised = DenoisedAudio.open(engine, ULAW, 'live', (bytes) => heard.push(bytes));
    engine.destroy();
    const frame = Buffer.alloc(160, 7);
    denoised?.hear(frame);
    expect(heard).toEqual([frame]);
    denoised?.close();
  });
});

it('says how long ago its audio was said, by what is still in the lane', () => {
  let frames: (bytes: Uint8Array) => void = () => undefined;
  let isFull = false;
  const lane = { push: () => (isFull ? 'full' : 'ok'), drop: () => undefined };
  const open = (_kind: unknown, _options: unknown, { audio }: { audio: (bytes: Uint8Array) => void }) => {
    frames = audio;
    return lane;
  };
  const engine = { open } as unknown as Engine;
  const late: number[] = [];
  const denoised = DenoisedAudio.open(engine, ULAW, 'live', (_, lateMs) => late.push(lateMs));
  for (let at = 0; at < 4; at += 1) denoised?.hear(new Uint8Array(160));
  frames(new Uint8Array(160));
  denoised?.hear(new Uint8Array(160));
  isFull = true;
  denoised?.hear(new Uint8Array(160));
  frames(new Uint8Array(160));
  expect(late).toEqual([60, 60]);
});
