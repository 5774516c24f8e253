import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createSpeakSurface } from '../../../../src/edge/surfaces/speak/index.ts';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import type { Storage } from '../../../../src/foundation/storage/index.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import type { AudioDecoder } from '../../../../src/media/codec/index.ts';
import type { Engine } from '../../../../src/media/engine/index.ts';
import {
  StockVoices,
  VoiceCatalogue,
  type VoiceFitter,
  VoiceStore,
} from '../../../../src/speech/voices/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { bearer, start } from '../../server/fixtures/start.ts';
import { absent, Client, openOmni } from './server.ts';

const FITTED = {
  voice: {
    model: 'kokoro',
    language: 'en',
    accent: 'en-us',
    styles: [
      { name: 'am_michael', share: 0.7 },
      { name: 'bm_george', share: 0.3 },
    ],
    manner: { pitch: 0.95, tilt: -1.5 },
  },
  measured: { similarity: 0.6 },
} as const;

function speakSurface(engine: Engine, storage: Storage) {
  const voices = new VoiceCatalogue(new StockVoices(), new VoiceStore(storage, systemClock));
  const fitter: VoiceFitter = { fit: async () => FITTED };
  const decode = async () => ({ pcm: [] });
  const decoder = { decode } as unknown as AudioDecoder;
  const surface = createSpeakSurface({
    temporary: tmpdir(),
    engine,
    storage,
    billing: createBilling({
      storage,
      clock: systemClock,
      background: new BackgroundTasks({ clock: systemClock }),
    }),
    voices,
    clock: systemClock,
    decoder,
    fitter,
    onError: (error) => {
      throw error;
    },
  });
  return { surface, voices };
}

async function call(omni: Awaited<ReturnType<typeof openOmni>>, voice_id: string) {
  const client = await new Client(omni.url).opened();
  const configured = await client.configure({ voice_id, greeting: 'Hello there.' });
  const spoken = client.until(() => client.audioBytes > 8000);
  await client.silenceUntil(() => client.audioBytes > 8000);
  await spoken;
  client.socket.close();
  return {
    configured,
    voice: omni.lanes.at(-1)!.voice,
    complaint: client.controls.find(({ event }) => event === 'error'),
  };
}

describe.skipIf(Boolean(absent))('a voice of an organization in Omni', () => {
  it('speaks as soon as it was saved or cloned, to its organization alone', {
    timeout: 180_000,
  }, async () => {
    let speak!: ReturnType<typeof speakSurface>;
    const omni = await openOmni({
      voices: (storage, engine) => {
        speak = speakSurface(engine, storage);
        return (orgId, name) => speak.voices.resolve(orgId, name);
      },
    });
    const served = await start({ access: new OneKeyAccess(), surfaces: [speak.surface] });
    const post = async (path: string, body: object) =>
      (await (
        await fetch(`${served.url}${path}`, {
          method: 'POST',
          headers: body instanceof FormData ? bearer : { ...bearer, 'content-type': 'application/json' },
          body: body instanceof FormData ? body : JSON.stringify(body),
        })
      ).json()) as { id: string; voice_id: string; candidates: { candidate_id: string }[] };

    const design = await post('/v1/voice/design', {
      description: 'a deep British man',
      candidates: 1,
      seed: 3,
    });
    const { candidate_id } = design.candidates[0]!;
    const saved = await post(`/v1/voice/design/${design.id}/save`, { candidate_id, name: 'Butler' });
    const form = new FormData();
    form.set('name', 'Bob');
    form.set('consent', 'true');
    form.set('file', new Blob(['a recording']), 'bob.wav');
    const clone = await post('/v1/voice/clones', form);

    const butler = await call(omni, saved.voice_id);
    expect(butler.complaint).toBeUndefined();
    expect(butler.configured).toMatchObject({ voice_id: saved.voice_id, voice_tier: 'natural' });
    expect(butler.voice).toMatchObject({ accent: 'en-gb', manner: { pitch: expect.any(Number) } });

    const bob = await call(omni, clone.id);
    expect(bob.complaint).toBeUndefined();
    expect(bob.configured).toMatchObject({ voice_id: clone.id });
    expect(bob.voice).toMatchObject({ styles: FITTED.voice.styles, manner: FITTED.voice.manner });

    const caller = new OneKeyAccess().principal();
    expect(await speak.voices.resolve(tenantScopeOf(caller), saved.voice_id)).toMatchObject({
      id: saved.voice_id,
    });
    await acrossTenants(omni.storage.db)
      .updateTable('speak_voices')
      .set({ org_id: 'org_b0000000000000000000' })
      .execute();
    const foreign = await call(omni, saved.voice_id);
    expect(foreign.complaint).toMatchObject({ error: { code: 'voice_not_found' } });
    expect(foreign.configured).toMatchObject({ voice_id: 'heart_en_us' });
  });
});

describe.skipIf(Boolean(absent))('the pronunciations of a project in Omni', () => {
  it('are what the voice says, and the transcript keeps the words as they are written', async () => {
    const omni = await openOmni({ pronunciations: [{ word: 'Nguyen', say: 'win', language: 'en' }] });
    const client = await new Client(omni.url).opened();
    await client.configure({ greeting: 'Doctor Nguyen is here.' });
    await client.silenceUntil(() => client.transcripts.some(({ final }) => final));
    client.socket.close();
    expect(omni.spoken).toEqual(['Doctor win is here.']);
    expect(client.transcripts.at(-1)).toMatchObject({ role: 'agent', text: 'Doctor Nguyen is here.' });
  });
});
