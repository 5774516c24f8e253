// @requirement Speak: Voice design reports what it understood and ignored, and keeps metadata.
// @requirement Speak: Designed voices are listed and deleted.
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/foundation/platform/errors.ts';
import { readTraits } from '../../../../src/speech/voices/design-words.ts';
import { designVoices } from '../../../../src/speech/voices/index.ts';
import { scopeFor } from '../../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { nextJob } from '../../server/fixtures/slow-uploads.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { absent, codeOf, speakWorld } from './server.ts';

const placeOf = (orgId: string) => scopeFor(orgId, new OneKeyAccess().principal());

describe('what a description asks for', () => {
  /** The table says whether a trait is above or below the neutral voice, or exactly neutral. */
  const read = (description: string) => {
    const { gender, accent, manner } = readTraits(description);
    const { pitch = 1, speed = 1, range = 1, tilt = 0 } = manner;
    const sign = (value: number) => (value > 1.001 ? '+' : value < 0.999 ? '-' : '');
    const effects = { pitch: sign(pitch), speed: sign(speed), range: sign(range), tilt: sign(tilt + 1) };
    return {
      ...(gender ? { gender } : {}),
      ...(accent === 'us' ? {} : { accent }),
      ...Object.fromEntries(Object.entries(effects).filter(([, effect]) => effect)),
    };
  };
  const DEEP = { pitch: '-', tilt: '-' };
  const HIGH = { pitch: '+', tilt: '+' };
  const WARM = { speed: '-', tilt: '-' };
  const OLD = { pitch: '-', speed: '-', tilt: '-' };
  const YOUNG = { pitch: '+', speed: '+', range: '+', tilt: '+' };

  it.each<[string, object]>([
    ['nothing in particular', {}],
    ['a deep old man', { gender: 'male', ...OLD }],
    ['a young woman', { gender: 'female', ...YOUNG }],
    ['lively', { range: '+', speed: '+' }],
    ['slow and warm', WARM],
    ['fast, bright', { speed: '+', tilt: '+' }],
    ['British lady', { gender: 'female', accent: 'uk' }],
    ['from Mumbai, calm', { accent: 'india', range: '-' }],
    ['not deep, not slow', {}],
    ['not deep or slow', {}],
    ['neither deep nor slow', {}],
    ['a voice that is not particularly deep', {}],
    ["isn't slow", {}],
    ['never hurried', {}],
    ['without being slow', {}],
    ['not deep but warm', WARM],
    ['warm rather than deep', WARM],
    ['not only deep but warm', { pitch: '-', speed: '-', tilt: '-' }],
    ['a man, not old', { gender: 'male' }],
    ['not a woman', {}],
    // Ages.
    ['a 35-year-old man', { gender: 'male' }],
    ['a 30-year-old man', { gender: 'male', pitch: '+', speed: '+', range: '+', tilt: '+' }],
    ['a 25 year old woman', { gender: 'female', ...YOUNG }],
    ['a young 20-year-old woman', { gender: 'female', ...YOUNG }],
    ['a seventy-year-old woman', { gender: 'female', ...OLD }],
    ['someone in his sixties', { gender: 'male', ...OLD }],
    ['a woman in her early twenties', { gender: 'female', ...YOUNG }],
    ['a man in his 60s', { gender: 'male', ...OLD }],
    ['a woman aged 72', { gender: 'female', ...OLD }],
    ['a man of seventy', { gender: 'male', ...OLD }],
    ['a thirty-something', { pitch: '+', speed: '+', range: '+', tilt: '+' }],
    ['a middle-aged man', { gender: 'male', pitch: '-', speed: '-' }],
    ['a grandmother', { gender: 'female', ...OLD }],
    ['30 years of experience', {}],
    // Comparisons, adverbs, degrees.
    ['slower', { speed: '-' }],
    ['deeper', DEEP],
    ['higher', HIGH],
    ['warmer', WARM],
    ['softer', WARM],
    ['calmer', { range: '-' }],
    ['brighter', { tilt: '+' }],
    ['speaks quickly', { speed: '+' }],
    ['a man, warmer than his mother', { gender: 'male', ...WARM }],
    ['slower than a young woman', { speed: '-' }],
    ['less deep', HIGH],
    // These words mean something else in their context.
    ['a high-quality recording', {}],
    ['low-key', {}],
    ['kind of serious', { range: '-' }],
    ['a light Indian accent', { accent: 'india' }],
    ['a no-nonsense British man', { gender: 'male', accent: 'uk', range: '-' }],
    ['light-hearted', { range: '+', speed: '+' }],
    ["the King's English", { accent: 'uk' }],
    ['male or female', {}],
    // The engine speaks an accent that it lacks with the nearest one that it has.
    ['a Scottish man', { gender: 'male', accent: 'uk' }],
    ['an Irish woman', { gender: 'female', accent: 'uk' }],
    ['Australian', { accent: 'uk' }],
    ['Canadian', {}],
    ['a Russian accent', {}],
  ])('%s', (description, expected) => {
    expect(read(description)).toEqual(expected);
  });

  it('orders ages, and halves what is said to be slight', () => {
    const pitch = (description: string) => readTraits(description).manner.pitch!;
    const ages = [
      'an 8-year-old',
      'a 16-year-old',
      'a 25-year-old',
      'a 40-year-old',
      'a 60-year-old',
      'an old man',
    ];
    const pitches = ages.map(pitch);
    expect([...pitches].sort((a, b) => b - a)).toEqual(pitches);
    expect(new Set(pitches).size).toBe(ages.length);
    expect(pitch('middle-aged')).toBeGreaterThan(pitch('old'));
    expect(pitch('slightly deep')).toBeCloseTo(Math.sqrt(pitch('deep')), 6);
  });

  it('gives the same voices for the same seed, others for another', () => {
    const first = designVoices('a calm woman', 4, 7);
    expect(designVoices('a calm woman', 4, 7)).toEqual(first);
    expect(designVoices('a calm woman', 4, 8)).not.toEqual(first);
  });

  it('gives candidates that differ, with shares that add up', () => {
    for (const description of ['a man', 'an Indian woman', 'a French woman', 'British', '']) {
      const voices = designVoices(description, 4, 3);
      expect(new Set(voices.map((voice) => JSON.stringify([voice.styles, voice.manner]))).size).toBe(4);
      for (const { styles } of voices) {
        expect(styles.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6);
        expect(new Set(styles.map(({ name }) => name)).size).toBe(styles.length);
      }
    }
  });
});

describe.skipIf(absent)('/v1/voice/design', () => {
  const world = speakWorld();

  it('previews, saves and speaks; another organization finds nothing', { timeout: 180_000 }, async () => {
    const ours = await world().serve('org_a0000000000000000000');
    const theirs = await world().serve('org_b0000000000000000000');
    const body = { description: 'a deep, chartreuse British man', text: 'Hello.', candidates: 2, seed: 5 };
    const made = (await (await ours.send('POST', '/v1/voice/design', body)).json()) as {
      id: string;
      object: string;
      candidates: { candidate_id: string; preview_url: string }[];
      understood: string[];
    };
    expect(made).toMatchObject({
      object: 'voice.design',
      id: expect.stringMatching(/^vdr_/),
      ignored: ['chartreuse'],
    });
    expect(made.understood.sort()).toEqual(['british', 'deep', 'man']);
    expect(made.candidates).toHaveLength(2);
    const [first] = made.candidates;
    const preview = await ours.send('GET', first!.preview_url);
    expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    // A preview is rendered, admitted and billed once, and can be played any number of times.
    const bytes = Buffer.from(await preview.arrayBuffer());
    expect(bytes.byteLength).toBeGreaterThan(2000);
    const billed = world().events.filter(({ resource }) => resource === first!.candidate_id);
    expect(billed).toMatchObject([{ use: 'speak.preview', milliseconds: expect.any(Number) }]);
    expect(billed[0]!.milliseconds).toBeGreaterThan(200);
    const again = await ours.send('GET', first!.preview_url);
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true);
    expect(ours.access.admitted).toBe(1);
    expect(world().events.filter(({ resource }) => resource === first!.candidate_id)).toHaveLength(1);

    /** The answer without its own id and the ids that it repeats. */
    const previewRefusal = async (path: string) => {
      const answer = await theirs.send('GET', path);
      const { request_id: _id, ...body } = (await answer.json()) as Record<string, unknown>;
      const ids = path.split('/').filter((part) => /^(vdr|cand)_/.test(part));
      return [answer.status, ids.reduce((text, id) => text.replaceAll(id, ''), JSON.stringify(body))];
    };
    expect(await previewRefusal(first!.preview_url)).toEqual(
      await previewRefusal('/v1/voice/design/vdr_x/preview/cand_x'),
    );

    const path = `/v1/voice/design/${made.id}/save`;
    const wanted = { candidate_id: first!.candidate_id, name: 'Butler', metadata: { use: 'test' } };
    const refused = await theirs.send('POST', path, wanted);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      404,
      expect.stringContaining('application/json'),
    ]);
    const saved = (await (await ours.send('POST', path, wanted)).json()) as { voice_id: string };
    expect(saved).toEqual({ voice_id: expect.stringMatching(/^vd_/), name: 'Butler', source: 'design' });

    const stored = (await (await ours.send('GET', '/v1/voice/design')).json()) as { data: object[] };
    expect(stored.data[0]).toMatchObject({ id: saved.voice_id, metadata: { use: 'test' } });
    const more = (await (await ours.send('POST', path, { ...wanted, name: 'Second' })).json()) as {
      voice_id: string;
    };
    const listed = async (query: string) =>
      (await (await ours.send('GET', `/v1/voice/design?${query}`)).json()) as {
        data: { id: string }[];
        next_cursor: string | null;
      };
    const newest = await listed('limit=1');
    const rest = await listed(`limit=1&cursor=${newest.next_cursor}`);
    expect(new Set([...newest.data, ...rest.data].map(({ id }) => id))).toEqual(
      new Set([saved.voice_id, more.voice_id]),
    );
    expect(rest.next_cursor).toBeNull();
    expect((await (await theirs.send('GET', '/v1/voice/design')).json()) as object).toMatchObject({
      data: [],
    });
    const spoken = await ours.speak({
      input: 'Hi.',
      voice: saved.voice_id,
      response_format: 'pcm',
      stream: false,
    });
    expect([spoken.status, spoken.headers.get('x-svc-voice')]).toEqual([200, saved.voice_id]);
    expect(await codeOf(await theirs.speak({ input: 'Hi.', voice: saved.voice_id }))).toBe('voice_not_found');
    expect(await ours.voices.find(placeOf('org_a0000000000000000000'), saved.voice_id)).toMatchObject({
      name: 'Butler',
    });
    expect(await ours.voices.find(placeOf('org_b0000000000000000000'), saved.voice_id)).toBeNull();
  });

  // @requirement Speak: Metadata of a voice holds at most 4 kB.
  it('keeps 4 kB of metadata with a voice, and refuses more by the name of the field', async () => {
    const { send } = await world().serve('org_f0000000000000000000');
    const made = (await (
      await send('POST', '/v1/voice/design', { description: 'a man', candidates: 1 })
    ).json()) as { id: string; candidates: { candidate_id: string }[] };
    const [first] = made.candidates;
    const save = (note: string) =>
      send('POST', `/v1/voice/design/${made.id}/save`, {
        candidate_id: first!.candidate_id,
        name: 'Noted',
        metadata: { note },
      });
    // `{"note":""}` has 11 bytes, and each of these letters has two.
    const most = `a${'é'.repeat((4096 - 12) / 2)}`;
    expect((await save(most)).status).toBe(200);
    const refused = await save(`a${most}`);
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as { error: object }).error).toMatchObject({
      code: 'invalid_request',
      param: 'metadata',
      message: expect.stringContaining('4096 bytes'),
    });
    const stored = (await (await send('GET', '/v1/voice/design')).json()) as { data: object[] };
    expect(stored.data).toMatchObject([{ name: 'Noted', metadata: { note: most } }]);
  });

  it('gives the same seed the same voices, and another seed others', { timeout: 180_000 }, async () => {
    const { send } = await world().serve('org_f0000000000000000000');
    const preview = async (seed: number) => {
      const body = { description: 'a calm woman', text: 'Hi.', candidates: 2, seed };
      const made = (await (await send('POST', '/v1/voice/design', body)).json()) as {
        candidates: { preview_url: string }[];
      };
      const heard: string[] = [];
      for (const { preview_url } of made.candidates) {
        heard.push(Buffer.from(await (await send('GET', preview_url)).arrayBuffer()).toString('base64'));
      }
      return heard;
    };
    const first = await preview(7);
    expect(first[0]).not.toBe(first[1]);
    expect(await preview(7)).toEqual(first);
    expect(await preview(8)).not.toEqual(first);
  });

  it('keeps candidates for a day, and bills a preview once that two ask for at once', {
    timeout: 180_000,
  }, async () => {
    const clock = new ManualClock();
    const { send } = await world().serve('org_a1000000000000000000', { clock });
    const body = { description: 'a man', text: 'Hello there.', candidates: 1, seed: 1 };
    const made = (await (await send('POST', '/v1/voice/design', body)).json()) as {
      id: string;
      expires_at: number;
      candidates: { candidate_id: string; preview_url: string }[];
    };
    const [{ candidate_id, preview_url }] = made.candidates as [(typeof made.candidates)[0]];
    expect(made.expires_at).toBe(clock.now() + 24 * 3600 * 1000);
    const both = await Promise.all([send('GET', preview_url), send('GET', preview_url)]);
    const [one, other] = await Promise.all(both.map((answer) => answer.arrayBuffer()));
    expect(Buffer.from(one!).equals(Buffer.from(other!))).toBe(true);
    const bills = await world()
      .storage.db.selectFrom('usage_events')
      .select('id')
      .where('resource', '=', candidate_id)
      .execute();
    expect(bills).toHaveLength(1);
    clock.advance(24 * 3600 * 1000 - 1);
    expect((await send('GET', preview_url)).status).toBe(200);
    clock.advance(1);
    expect((await send('GET', preview_url)).status).toBe(404);
    const save = { candidate_id, name: 'Late' };
    expect((await send('POST', `/v1/voice/design/${made.id}/save`, save)).status).toBe(404);
  });

  it('asks for credit before a preview is spoken, and keeps none whose client has left', {
    timeout: 120_000,
  }, async () => {
    const { access, send, server, url } = await world().serve('org_d0000000000000000000');
    const body = { description: 'a calm woman', text: 'Hello there, how are you today?', candidates: 1 };
    const made = (await (await send('POST', '/v1/voice/design', body)).json()) as {
      candidates: { candidate_id: string; preview_url: string }[];
    };
    const [{ candidate_id, preview_url }] = made.candidates as [(typeof made.candidates)[0]];
    const { admit } = access;
    access.admit = async () => {
      throw new ApiError('credit_exhausted', 'No credit is left.');
    };
    expect((await send('GET', preview_url)).status).toBe(402);
    access.admit = admit;
    const begun = nextJob('synthesize');
    const leaving = new AbortController();
    const left = fetch(`${url}${preview_url}`, { headers: bearer, signal: leaving.signal });
    const job = await begun;
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect(job.done).rejects.toMatchObject({ message: 'The work was cancelled.' });
    await expect.poll(() => server.activeRequests()).toBe(0);
    expect(world().events.filter(({ resource }) => resource === candidate_id)).toEqual([]);
  });

  it.each([
    [{}, 'invalid_request'],
    [{ description: '' }, 'invalid_request'],
    [{ description: ' ' }, 'invalid_request'],
    [{ description: 'a'.repeat(501) }, 'invalid_request'],
    [{ description: 'a man', candidates: 5 }, 'invalid_request'],
    [{ description: 'a man', candidates: 0 }, 'invalid_request'],
    [{ description: 'a man', text: '  ' }, 'invalid_request'],
    [{ description: 'a man', text: '…' }, 'invalid_request'],
  ])('refuses what is no order (%#)', async (body, code) => {
    const { send } = await world().serve();
    expect(await codeOf(await send('POST', '/v1/voice/design', body))).toBe(code);
  });
});
