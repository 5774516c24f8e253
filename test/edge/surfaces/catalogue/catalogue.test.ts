// @requirement Catalogue: The reference pack follows from the schemas, and published ones never change.
// @requirement API contract: Unknown, malformed and overlong ids get one answer.
// @requirement Catalogue: Voices are found by region and alias in any case.
// @requirement Catalogue: The catalogue lists voices of every language and answers to vendors' model names.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { createCatalogueSurface } from '../../../../src/edge/surfaces/catalogue/index.ts';
import {
  publishedPacks,
  publishPack,
  referencePack,
} from '../../../../src/edge/surfaces/catalogue/reference.ts';
import { readStreamQuery } from '../../../../src/edge/surfaces/hear/stream-query.ts';
import { readConnectQuery } from '../../../../src/edge/surfaces/omni/connect.ts';
import { outputFormatOf } from '../../../../src/edge/surfaces/speak/output-format.ts';
import { Models, readManifest } from '../../../../src/foundation/platform/models/index.ts';
import { CONTROLS } from '../../../../src/main/controls.ts';
import { PRODUCTS, StockVoices } from '../../../../src/speech/voices/index.ts';
import { bearer, start } from '../../server/fixtures/start.ts';

const voices = new StockVoices();
const own = {
  id: 'vc_own',
  object: 'voice' as const,
  name: 'Mine',
  language: 'en',
  tier: 'natural' as const,
};
const item = {
  ...own,
  available_on: ['speak' as const],
  region: null,
  gender: null,
  emotions: ['neutral'],
  aliases: [],
};

const serve = () =>
  start({
    surfaces: [
      createCatalogueSurface({
        models: new Models({ root: '/nowhere' }),
        voices,
        products: ['speak', 'omni', 'cast'],
        customVoices: { find: async (_org, id) => (id === 'vc_own' ? item : null) },
      }),
    ],
  });

async function get(path: string) {
  const { url } = await serve();
  const response = await fetch(`${url}${path}`, { headers: bearer });
  return { status: response.status, headers: response.headers, body: (await response.json()) as never };
}

describe('GET /v1/models', () => {
  it('is read by the public OpenAI client', async () => {
    const { url } = await serve();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: bearer.authorization.slice('Bearer '.length) });
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toEqual(['svc-hear', 'svc-speak']);
  });

  it('derives the languages from the manifest and the voices', async () => {
    const { body } = await get('/v1/models');
    expect(body).toMatchObject({
      object: 'list',
      data: [
        {
          languages: ['de', 'en', 'es', 'fr', 'hi', 'it', 'nl', 'pt'],
          experimental_languages: ['hi'],
        },
        { languages: ['de', 'en', 'es', 'fr', 'hi', 'it', 'ja', 'pt', 'zh'], experimental_languages: [] },
      ],
    });
  });

  it.each([
    ['svc-hear', 'svc-hear'],
    ['whisper-1', 'svc-hear'],
    ['gpt-4o-transcribe', 'svc-hear'],
    ['TTS-1', 'svc-speak'],
    ['gpt-4o-mini-tts', 'svc-speak'],
  ])('gets %s', async (asked, id) => {
    const { url } = await serve();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: bearer.authorization.slice('Bearer '.length) });
    expect(await client.models.retrieve(asked)).toMatchObject({ id, object: 'model' });
  });

  it('knows no other', async () => {
    expect(await get('/v1/models/gpt-9')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  it('needs a key', async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/v1/models`)).status).toBe(401);
  });
});

describe('GET /v1/voices', () => {
  it('lists English voices alone, with every field', async () => {
    const { body } = await get('/v1/voices');
    const { data } = body as { data: Record<string, unknown>[] };
    expect(data).toHaveLength(voices.list.filter(({ language }) => language === 'en').length);
    expect(data.find(({ id }) => id === 'heart_en_us')).toEqual({
      id: 'heart_en_us',
      object: 'voice',
      name: 'Heart',
      language: 'en',
      tier: 'natural',
      available_on: ['speak', 'omni', 'cast'],
      region: 'us',
      gender: 'female',
      emotions: voices.find('en1')?.emotions,
      aliases: ['en1'],
    });
  });

  it('marks the German voice, and it alone, as experimental', async () => {
    expect((await get('/v1/voices/de1')).body).toMatchObject({ id: 'emma_de_de', experimental: true });
    expect((await get('/v1/voices/fr1')).body).not.toHaveProperty('experimental');
    expect(voices.list.filter(({ experimental }) => experimental).map(({ id }) => id)).toEqual([
      'emma_de_de',
    ]);
  });

  it('filters by region', async () => {
    const { body } = await get('/v1/voices?region=india');
    const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.every((id) => id.endsWith('_en_in'))).toBe(true);
    expect((await get('/v1/voices?region=INDIA')).body).toEqual(body);
    const unknown = await get('/v1/voices?region=atlantis');
    expect(unknown.status).toBe(400);
    expect(unknown.body).toMatchObject({
      error: { param: 'region', message: expect.stringMatching(/brazil, china.*india.*us/) },
    });
  });

  it('lists voices of another language, and all', async () => {
    const spanish = (await get('/v1/voices?language=ES')).body as { data: { language: string }[] };
    expect(spanish.data.map(({ language }) => language)).toEqual(['es', 'es', 'es']);
    expect(((await get('/v1/voices?language=all')).body as { data: [] }).data).toHaveLength(
      voices.list.length,
    );
    expect((await get('/v1/voices?language=tlh')).body).toMatchObject({ error: { param: 'language' } });
  });

  it('refuses a query that it does not know', async () => {
    const { status, body } = await get('/v1/voices?country=in');
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'invalid_request', param: 'country' } });
  });
});

describe('GET /v1/voices/{id}', () => {
  it.each(['hi2', 'beta_hi_in'])('finds %s, which the list does not show', async (id) => {
    expect((await get(`/v1/voices/${id}`)).body).toMatchObject({
      id: 'beta_hi_in',
      language: 'hi',
      tier: 'standard',
    });
  });

  it('finds a voice of the organization', async () => {
    expect((await get('/v1/voices/vc_own')).body).toEqual(item);
  });

  it.each(['EN1', 'Heart_EN_us'])('takes %s in whatever case', async (id) => {
    expect((await get(`/v1/voices/${id}`)).body).toMatchObject({ id: 'heart_en_us' });
  });

  it('tells no id that nobody has from another', async () => {
    const ids = ['vc_other', '%2e%2e%2f', '%00', 'en1%00', 'x'.repeat(200), 'y'.repeat(4000), '%F0%9F%92%A9'];
    const answers = await Promise.all(ids.map((id) => get(`/v1/voices/${id}`)));
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toMatchObject({ error: { code: 'voice_not_found', param: 'id' } });
      expect((body as { error: { message: string } }).error.message).toMatch(
        /^There is no such voice \(id [^ ]+( \(\d+ characters\))?\)\.$/,
      );
    }
  });

  it('says of a retired voice that it is', async () => {
    const { status, body } = await get('/v1/voices/HI7');
    expect(status).toBe(410);
    expect(body).toMatchObject({ error: { code: 'voice_retired' } });
  });
});

describe('GET /reference/{date}.json', () => {
  const packs = publishedPacks();
  const newest = [...packs.keys()].sort().at(-1)!;

  it('serves the published bytes, for ever', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/reference/${newest}.json`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(Buffer.from(await response.arrayBuffer()).equals(packs.get(newest)!)).toBe(true);
  });

  it('serves the newest as latest', async () => {
    const { body } = await get('/reference/latest.json');
    expect(body).toEqual(JSON.parse(packs.get(newest)!.toString()));
  });

  it('names no rate, format or emotion that a request would be refused for', () => {
    const { controls } = JSON.parse(packs.get(newest)!.toString()) as typeof CONTROLS extends infer C
      ? { controls: C }
      : never;
    for (const format of controls.speak.response_formats.values)
      expect(() => outputFormatOf(format, undefined, 'ffmpeg')).not.toThrow();
    for (const rate of controls.speak.pcm_sample_rates.values)
      expect(() => outputFormatOf('pcm', rate)).not.toThrow();
    expect(controls.speak.pcm_sample_rates.values).not.toContain(24_000);
    const query = (text: string) => readStreamQuery(new URLSearchParams(text));
    for (const rate of controls.hear.stream.sample_rates.values) query(`sample_rate=${rate}`);
    for (const language of controls.hear.stream.languages) query(`language=${language}`);
    const { minimum, maximum } = controls.hear.stream.endpointing_ms as { minimum: number; maximum: number };
    for (const ms of [minimum, maximum]) query(`endpointing_ms=${ms}`);
    for (const ms of [minimum - 1, maximum + 1]) expect(() => query(`endpointing_ms=${ms}`)).toThrow();
    for (const rate of controls.omni.rates)
      readConnectQuery(new URLSearchParams(`format=pcm16&rate=${rate}`));
  });

  it('has published the catalogue as it is (node scripts/publish-reference.mjs)', () => {
    const now = referencePack(newest, readManifest(), voices.list, PRODUCTS, CONTROLS);
    expect(JSON.parse(packs.get(newest)!.toString())).toEqual(JSON.parse(JSON.stringify(now)));
  });

  it('never replaces a pack that was published by another', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-packs-'));
    const pack = referencePack('2026-01-02', readManifest(), voices.list, PRODUCTS, CONTROLS);
    publishPack(pack, { folder });
    const published = publishedPacks(folder).get('2026-01-02')!;
    expect(published.equals(readFileSync(publishPack(pack, { folder })))).toBe(true);
    const other = { ...pack, voices: [] };
    expect(() => publishPack(other, { folder })).toThrow(/is published and differs/);
    expect(publishedPacks(folder).get('2026-01-02')!.equals(published)).toBe(true);
    publishPack(other, { folder, unreleased: true });
    expect(publishedPacks(folder).get('2026-01-02')!.equals(published)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it('names the latest pack where there is none', async () => {
    const { status, body } = await get('/reference/1999-01-01.json');
    expect(status).toBe(404);
    expect(body).toMatchObject({ detail: expect.stringContaining(newest) });
  });

  it('refuses what is no date', async () => {
    expect((await get('/reference/yesterday.json')).status).toBe(404);
  });
});
