import { expect, it } from 'vitest';
import { AnswerVoice } from '../../../src/conversation/brains/index.ts';
import { PronouncingLane } from '../../../src/conversation/calls/pronouncing-lane.ts';
import { NotedLane, RATE } from './scripted-provider.ts';

it('says each word by the pronunciation of the language that the call is in', () => {
  const inner = new NotedLane();
  const lane = new PronouncingLane(
    inner,
    [
      { word: 'Nguyen', say: 'win', language: 'en' },
      { word: 'Nguyen', say: 'ngouyène', language: 'fr' },
      { word: 'SQL', say: 'sequel' },
    ],
    'en',
  );
  const say = (segment: number) => lane.speak(1, segment, 'Nguyen knows SQL.', { held: false, yields: true });
  say(0);
  lane.setLanguage('fr');
  say(1);
  lane.setLanguage('es');
  say(2);
  expect([0, 1, 2].map((segment) => inner.segment(1, segment))).toMatchObject([
    { text: 'win knows sequel.', options: { held: false, yields: true } },
    { text: 'ngouyène knows sequel.' },
    { text: 'Nguyen knows sequel.' },
  ]);
});

it('passes on the sound of the caller’s last words', () => {
  const audio = { text: 'Hello.', pcm: new Uint8Array(2), sentTo: () => expect.fail('nothing is sent') };
  const inner = Object.assign(new NotedLane(), { callerAudio: () => audio });
  expect(new PronouncingLane(inner, [], 'en').callerAudio('Hello.')).toBe(audio);
  expect(new PronouncingLane(new NotedLane(), [], 'en').callerAudio('Hello.')).toBeNull();
});

it('leaves the words of a model’s own voice as they are, and spells what the lane’s own voice ends', () => {
  const inner = new NotedLane();
  const lane = new PronouncingLane(inner, [{ word: 'SQL', say: 'sequel' }], 'en');
  const voice = new AnswerVoice({
    name: 'default',
    host: 'models.example:443',
    rate: RATE,
    firstAudioMs: 1_000,
    betweenAudioMs: 500,
  });
  lane.speak(1, 0, 'We know SQL.', { held: false, yields: true, voice });
  const { text, options } = inner.segment(1, 0);
  expect(text).toBe('We know SQL.');
  expect(options).toMatchObject({ held: false, yields: true, voice });
  expect(options.spell?.(text)).toBe('We know sequel.');
});
