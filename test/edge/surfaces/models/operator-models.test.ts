import { afterAll, describe, expect, it } from 'vitest';
import { AddedModels } from '../../../../src/speech/added-models/index.ts';
import { OPERATOR_TOKEN, World } from '../../../contract/world.ts';
import { pollDelay } from '../../../poll.ts';
import { absent } from '../../../speech/added-models/piper-voice.ts';
import { whisperWeights } from '../../../speech/added-models/whisper-weights.ts';
import { ADDED_KOKORO } from '../../../speech/voices/added-kokoro.ts';

const BRAINS = [{ name: 'big', url: 'http://127.0.0.1:9/v1', model: 'big' }];
const world = await World.open({ settings: { TRUNKLINE_BRAINS: JSON.stringify(BRAINS) } });
afterAll(() => world.stop());

const ask = (method: string, path: string, body?: object, token = OPERATOR_TOKEN) =>
  world.send(path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly detail: string | null;
}

const shown = async (): Promise<readonly Shown[]> =>
  (await ask('GET', '/v1/operator/models')).json?.data as readonly Shown[];

async function settled(id: string): Promise<Shown> {
  for (;;) {
    const found = (await shown()).find((one) => one.id === id && one.state !== 'adding');
    if (found !== undefined) return found;
    await pollDelay();
  }
}

describe('the operator’s models', () => {
  it('are for the operator alone', async () => {
    for (const [method, path] of [
      ['GET', '/v1/operator/models'],
      ['POST', '/v1/operator/models'],
      ['DELETE', '/v1/operator/models/x'],
      ['GET', '/v1/operator/routes'],
      ['PUT', '/v1/operator/routes'],
    ] as const) {
      const body = method === 'POST' || method === 'PUT' ? {} : undefined;
      for (const token of [world.ours.key, world.ours.session])
        expect((await ask(method, path, body, token)).status, `${method} ${path}`).toBe(403);
      expect((await world.send(path, { method })).status, `${method} ${path}`).toBe(401);
    }
  });

  it('say why one could not be added, and are asked to accept its licence', async () => {
    const unread = await ask('POST', '/v1/operator/models', { source: '/nowhere/model' });
    expect(unread.status).toBe(400);
    const { status, json } = await ask('POST', '/v1/operator/models', {
      source: '/nowhere/model',
      name: 'nothing',
      accept_licence: true,
    });
    expect({ status, ...json }).toMatchObject({ status: 202, id: 'nothing', state: 'adding' });
    expect(await settled('nothing')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('there is no file or folder /nowhere/model'),
    });
    expect((await ask('DELETE', '/v1/operator/models/nothing')).status).toBe(200);
    expect((await ask('DELETE', '/v1/operator/models/nothing')).status).toBe(404);
    expect(await shown()).toEqual([]);
  });

  it('serve by rules, each of which names what there is', async () => {
    new AddedModels(world.data).add(ADDED_KOKORO);
    for (const [change, param] of [
      [{ recognition: [{ use: ['unheard_of'] }] }, 'recognition.0.use'],
      [{ recognition: [{ language: 'xx', use: ['whisper-base'] }] }, 'recognition.0.language'],
      [{ partials: [{ use: ['whisper-base'] }] }, 'partials.0.use'],
      [{ voice: [{ language: 'en', use: ['nobody'] }] }, 'voice.0.use'],
      [{ voice: [{ language: 'en', use: ['our_kokoro_one'] }] }, 'voice.0.use'],
      [{ voice: [{ language: 'fr', use: ['joe_en_us'] }] }, 'voice.0.language'],
      [{ brain: [{ use: ['nobody'] }] }, 'brain.0.use'],
      [{ embedding: [{ language: 'de', use: ['minilm-l6'] }] }, 'embedding.0.use'],
      [{ embedding: [{ language: 'ja', use: ['e5-small'] }] }, 'embedding.0.language'],
      [{ speakers: [{ use: ['nobody'] }] }, 'speakers.0.use'],
      [{ speakers: [{ use: ['campplus'] }, { use: ['campplus'] }] }, 'speakers'],
    ] as const) {
      const { status, json } = await ask('PUT', '/v1/operator/routes', change);
      expect({ status, param: (json?.error as { param?: string })?.param }).toEqual({ status: 400, param });
    }
    const recognition = [
      { language: 'de', plan: 'business', use: ['whisper-base'] },
      { device: 'cuda', use: ['whisper-base'] },
    ];
    const voice = [
      { language: 'en', plan: 'business', use: ['heart_en_us'] },
      { language: 'en', device: 'cuda', use: ['bella_en_us'] },
      { language: 'en', use: ['joe_en_us'] },
    ];
    const brain = [
      { device: 'cuda', use: ['default'] },
      { language: 'de', plan: 'business', use: ['big', 'default'] },
      { use: ['default'] },
    ];
    const embedding = [{ language: 'en', use: ['e5-small'] }];
    expect(
      (await ask('PUT', '/v1/operator/routes', { recognition, voice, brain, embedding })).json,
    ).toMatchObject({
      recognition,
      voice,
      brain,
      embedding,
    });
    expect(
      (await ask('PUT', '/v1/operator/routes', { speakers: [{ use: ['campplus'] }] })).json,
    ).toMatchObject({ speakers: [] });
    const partials = [{ plan: 'business', use: ['moonshine-tiny-en'] }];
    expect((await ask('PUT', '/v1/operator/routes', { partials })).json).toMatchObject({ partials, voice });
    expect((await ask('PUT', '/v1/operator/routes', { embedding: [] })).json).toMatchObject({
      embedding: [],
    });
    expect((await ask('PUT', '/v1/operator/routes', { recognition: [] })).json).toMatchObject({
      recognition: [],
      voice,
    });
    const models = new AddedModels(world.data);
    expect(models.chosenVoice({ language: 'en' })).toBe('joe_en_us');
    expect(models.chosenVoice({ language: 'en', plan: 'business', device: 'cuda' })).toBe('heart_en_us');
    expect(models.chosenVoice({ language: 'en', plan: 'standard', device: 'cuda' })).toBe('bella_en_us');
    expect(models.chosenVoice({ language: 'en', plan: 'standard', device: 'cpu' })).toBe('joe_en_us');
    expect(models.chosenVoice({ language: 'de', device: 'cuda' })).toBe(undefined);
    expect(models.brainRules).toEqual(brain);
    expect(models.recognitionRules).toEqual([]);
  });

  it.skipIf(absent)(
    'are added, chosen and removed while the server runs',
    async () => {
      const source = await whisperWeights();
      await ask('POST', '/v1/operator/models', { source, name: 'ours', accept_licence: true });
      expect(await settled('ours')).toMatchObject({
        state: 'ready',
        kind: 'whisper',
        title: 'Whisper base, multilingual, 80 mel bands, 6 + 6 layers',
        languages: expect.arrayContaining(['en', 'hi']),
      });
      const recognition = [{ language: 'en', use: ['ours'] }];
      expect((await ask('PUT', '/v1/operator/routes', { recognition })).json).toMatchObject({ recognition });
      expect((await ask('DELETE', '/v1/operator/models/ours')).status).toBe(200);
      expect((await ask('GET', '/v1/operator/routes')).json).toMatchObject({ recognition: [] });
    },
    240_000,
  );
});
