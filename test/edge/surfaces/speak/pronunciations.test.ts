// @requirement Speak: Voices say the words of a project by its pronunciations.
import { describe, expect, it } from 'vitest';
import { absent, codeOf, isSameSpeech, speakWorld } from './server.ts';

const PATH = '/v1/speak/pronunciations';

describe.skipIf(absent)('the pronunciations of a project', () => {
  const world = speakWorld();

  it('are said in Speak, in any case, and in no other organization', { timeout: 120_000 }, async () => {
    const ours = await world().serve('org_c0000000000000000000');
    const theirs = await world().serve('org_d0000000000000000000');
    const speech = async (server: typeof ours, input: string) => {
      const answer = await server.speak({ input, voice: 'joe_en_us', response_format: 'pcm', stream: false });
      const characters = answer.headers.get('x-svc-characters');
      return { characters, audio: Buffer.from(await answer.arrayBuffer()) };
    };
    expect(await (await ours.send('GET', PATH)).json()).toEqual({
      object: 'speak.pronunciations',
      pronunciations: [],
    });
    const written = await speech(ours, 'Ask NGUYEN about it.');
    const meant = await speech(ours, 'Ask win about it.');
    expect(isSameSpeech(meant.audio, written.audio)).toBe(false);

    const pronunciations = [
      { word: 'Nguyen', say: 'win' },
      { word: 'Nguyen', say: 'ngouyène', language: 'fr' },
    ];
    const put = await ours.send('PUT', PATH, { pronunciations });
    expect(await put.json()).toEqual({ object: 'speak.pronunciations', pronunciations });
    expect(await (await ours.send('GET', PATH)).json()).toMatchObject({ pronunciations });
    const said = await speech(ours, 'Ask NGUYEN about it.');
    expect(isSameSpeech(said.audio, meant.audio)).toBe(true);
    expect(said.characters, 'what was sent is counted, and not its spelling').toBe(written.characters);

    expect(await (await theirs.send('GET', PATH)).json()).toMatchObject({ pronunciations: [] });
    expect(isSameSpeech((await speech(theirs, 'Ask NGUYEN about it.')).audio, written.audio)).toBe(true);
    await ours.send('PUT', PATH, { pronunciations: [] });
    expect(isSameSpeech((await speech(ours, 'Ask NGUYEN about it.')).audio, written.audio)).toBe(true);
  });

  it('are refused where a word is empty, listed twice, or has a field too many', async () => {
    const { send } = await world().serve();
    for (const wrong of [
      [{ word: ' ', say: 'win' }],
      [{ word: 'Nguyen', say: '' }],
      [{ word: 'Nguyen', say: 'win', alphabet: 'ipa' }],
      [
        { word: 'Nguyen', say: 'win' },
        { word: 'nguyen', say: 'when' },
      ],
    ])
      expect(await codeOf(await send('PUT', PATH, { pronunciations: wrong }))).toBe('invalid_request');
    expect(await (await send('GET', PATH)).json()).toMatchObject({ pronunciations: [] });
  });
});
