import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { type AddedModel, AddedModels, addModel, hubOf } from '../../../src/speech/added-models/index.ts';
import { absent, piperVoice } from './piper-voice.ts';

const MEASURED = { realTimeFactor: 0.1, memoryBytes: 1, spoken: '', heard: null };

describe.skipIf(absent)('two additions at once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-together-'));
  const gate = new UrlGate({ allowLoopback: false });
  let voice = '';
  beforeAll(async () => {
    voice = dirname(await piperVoice(join(folder, 'ru'), { language: 'ru', espeak: 'ru' }));
  }, 120_000);
  afterAll(async () => {
    await gate.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Each has its own view of the data folder, as another process has. */
  function adding(data: string, test: () => Promise<typeof MEASURED>, onStep: (line: string) => void) {
    const added = addModel(new AddedModels(data), voice, {
      name: 'twin',
      from: null,
      modelsRoot: new Models().root,
      forGpu: false,
      network: { gate, hub: hubOf({}) },
      signal: new AbortController().signal,
      isFree: () => true,
      agree: async () => true,
      progress: () => undefined,
      step: onStep,
      languageModel: () => expect.unreachable(),
      test,
      testMoonshine: () => expect.unreachable(),
      testKokoro: () => expect.unreachable(),
      testRecognizer: () => expect.unreachable(),
      testEmbedder: () => expect.unreachable(),
      testEncoder: () => expect.unreachable(),
      now: () => new Date(0),
    });
    added.catch(() => undefined);
    return added;
  }

  /** The second addition starts while the first is tested; `end` ends that test. */
  async function both(name: string, end: () => typeof MEASURED) {
    const data = join(folder, name);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let first: ReturnType<typeof addModel> | undefined;
    await new Promise<void>((resolve, reject) => {
      const test = async () => {
        resolve();
        await held;
        return end();
      };
      first = adding(data, test, () => undefined);
      first.catch(reject);
    });
    let second: ReturnType<typeof addModel> | undefined;
    const step = await new Promise<string>((resolve) => {
      second = adding(data, async () => MEASURED, resolve);
    });
    expect(step).toBe('waiting for another model to be added to this data folder');
    release();
    return { data, outcomes: await Promise.allSettled([first, second]) };
  }

  it('of one name: the first is added whole, and the second is told that the name is taken', async () => {
    const { data, outcomes } = await both('one', () => MEASURED);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: { name: 'twin' } },
      {
        status: 'rejected',
        reason: { message: expect.stringContaining('a model named twin already exists') },
      },
    ]);
    const models = new AddedModels(data);
    expect(await models.changedFiles(models.find('twin') as AddedModel)).toEqual([]);
    expect(readdirSync(join(data, 'models'))).toEqual(['twin']);
  }, 120_000);

  it('of one name: the second is added where the first fails its test', async () => {
    const { data, outcomes } = await both('other', () => {
      throw new Error('it is silent');
    });
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { message: 'it is silent' } },
      { status: 'fulfilled', value: { name: 'twin' } },
    ]);
    const models = new AddedModels(data);
    expect(await models.changedFiles(models.find('twin') as AddedModel)).toEqual([]);
    expect(readdirSync(join(data, 'models'))).toEqual(['twin']);
  }, 120_000);

  it('keep what another process changes meanwhile', () => {
    const data = join(folder, 'rules');
    const [one, other] = [new AddedModels(data), new AddedModels(data)];
    one.exclusively(() => {
      expect(() => other.useBrains([])).toThrow('another process is changing the models of');
      one.useVoices([{ language: 'en', use: ['joe_en_us'] }]);
    });
    other.useBrains([{ use: ['big'] }]);
    expect([one.voiceRules.length, one.brainRules.length]).toEqual([1, 1]);
  });
});
