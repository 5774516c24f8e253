// @requirement Cast: Each emotion differs measurably from every other.
import { describe, expect, it } from 'vitest';
import { activeDb, bandLevels, brightness, pitchOf, samplesOf } from '../../../bench/speak/sound.ts';
import { type EngineVoice, synthesizeJob } from '../../../src/media/engine/index.ts';
import { stockVoice } from '../../../src/speech/voices/catalogue.ts';
import { designVoices } from '../../../src/speech/voices/design.ts';
import { EMOTIONS, mannerOf, mergeManners } from '../../../src/speech/voices/manners.ts';
import { StockVoices } from '../../../src/speech/voices/stock.ts';
import { absent, speakWorld } from '../../edge/surfaces/speak/server.ts';
import { itLong, long, longForm } from '../../long-tests.ts';

const RATE = 24_000;
const TEXT = 'I have looked at your account and there is something that you should know.';

/**
 * One text has words that begin with t, the other no hiss at all: what lies above 4 kHz in the first alone is how t
 * is said.
 */
const STOPS = 'Take ten tall tins to the top table at two to ten, and tell Tom.';
const HUMS = 'We know when many men mow a lawn all morning, when warm winds blow in.';

interface Received {
  readonly hertz: number;
  readonly melody: number;
  readonly force: number;
  readonly seconds: number;
  readonly colour: number;
}

describe.skipIf(absent)('what is heard of a manner', { timeout: 300_000 }, () => {
  const world = speakWorld();

  const say = async (voice: EngineVoice, text: string): Promise<Float32Array> => {
    const order = { voice, rate: RATE, format: 'pcm16' } as const;
    return samplesOf(await world().engine.submit(synthesizeJob, order, Buffer.from(text)).result());
  };
  const heard = async (voice: EngineVoice): Promise<Received> => {
    const samples = await say(voice, TEXT);
    const { hertz, semitones } = pitchOf(samples, RATE);
    const force = activeDb(samples, RATE);
    return {
      hertz,
      melody: semitones,
      force,
      seconds: samples.length / RATE,
      colour: brightness(samples, RATE),
    };
  };
  const designed = (description: string) => heard(designVoices(description, 1, 7)[0]!);

  it.runIf(long)(
    longForm(
      'every emotion of the catalogue differs from neutral, and from every other, in pitch, energy or rate',
    ),
    async () => {
      const { engine } = stockVoice(new StockVoices().default);
      const found: Received[] = [];
      for (const emotion of EMOTIONS)
        found.push(await heard({ ...engine, manner: mergeManners(mannerOf(emotion)) }));
      // The unit is half a semitone, a decibel or a twentieth of the pace: listeners do not notice less.
      const apart = (a: Received, b: Received) =>
        Math.max(
          Math.abs(12 * Math.log2(a.hertz / b.hertz)) / 0.5,
          Math.abs(a.force - b.force),
          Math.abs(Math.log(a.seconds / b.seconds)) / 0.05,
        );
      for (const [i, a] of found.entries())
        for (const [j, b] of found.slice(0, i).entries())
          expect(apart(a, b), `${EMOTIONS[i]} and ${EMOTIONS[j]}`).toBeGreaterThan(1);
    },
  );

  it('sad is lower, slower and softer than cheerful', async () => {
    const { engine } = stockVoice(new StockVoices().default);
    const sad = await heard({ ...engine, manner: mannerOf('sad') });
    const cheerful = await heard({ ...engine, manner: mannerOf('cheerful') });
    expect(sad.hertz).toBeLessThan(0.93 * cheerful.hertz);
    expect(sad.seconds).toBeGreaterThan(1.15 * cheerful.seconds);
    expect(sad.force).toBeLessThan(cheerful.force - 2);
    expect(sad.melody).toBeLessThan(cheerful.melody);
  });

  it.runIf(long)(longForm('words of age, gender, pitch, pace, warmth and liveliness are heard'), async () => {
    const [old, young] = [await designed('an old woman'), await designed('a young woman')];
    expect(old.hertz).toBeLessThan(0.9 * young.hertz);
    expect(old.seconds).toBeGreaterThan(1.1 * young.seconds);
    const [man, woman] = [await designed('a man'), await designed('a woman')];
    expect(man.hertz).toBeLessThan(0.85 * woman.hertz);
    const [deep, high] = [await designed('a woman, deep voice'), await designed('a woman, high voice')];
    expect(deep.hertz).toBeLessThan(0.85 * high.hertz);
    const [slow, fast] = [await designed('a slow woman'), await designed('a fast woman')];
    expect(slow.seconds).toBeGreaterThan(1.2 * fast.seconds);
    const [warm, bright] = [await designed('a warm woman'), await designed('a bright woman')];
    expect(warm.colour).toBeLessThan(bright.colour - 3);
    const [calm, lively] = [await designed('a calm woman'), await designed('a lively woman')];
    expect(calm.melody).toBeLessThan(lively.melody);
  });

  itLong(
    'words of accent are heard in how t is said: with a puff in America, less in Britain, least in India',
    async () => {
      const high = (samples: Float32Array): number => {
        const levels = bandLevels(samples, RATE);
        const mean = (part: number[]): number => part.reduce((a, b) => a + b, 0) / part.length;
        return mean(levels.slice(16)) - mean(levels.slice(0, 9));
      };
      const puff = async (description: string): Promise<number> => {
        const voice = designVoices(description, 1, 7)[0]!;
        return high(await say(voice, STOPS)) - high(await say(voice, HUMS));
      };
      for (const who of long ? ['woman', 'man'] : ['woman']) {
        const american = await puff(`a ${who}`);
        const british = await puff(`a British ${who}`);
        const indian = await puff(`an Indian ${who}`);
        expect(british, who).toBeLessThan(american - 2.5);
        expect(indian, who).toBeLessThan(british - 1.5);
      }
    },
  );

  it.runIf(long)(
    longForm('words of other accents are heard in the pitch or the colour of the voice'),
    async () => {
      const plain = await designed('a woman');
      for (const accent of ['Spanish', 'French', 'Italian', 'Brazilian']) {
        const other = await designed(`a woman, ${accent} accent`);
        const apart = Math.max(
          Math.abs(12 * Math.log2(other.hertz / plain.hertz)) / 0.5,
          Math.abs(other.colour - plain.colour) / 2,
        );
        expect(apart, accent).toBeGreaterThan(1.5);
      }
    },
  );
});
