import { describe, expect, it } from 'vitest';
import { VOICES } from '../../bench/omni/corpus.ts';
import { OTHER_LANGUAGES } from '../../bench/omni/other-languages.ts';
import { PHRASES, type Tongue } from '../../bench/omni/phrases.ts';
import { MORE_PHRASES } from '../../bench/omni/phrases-other-languages.ts';
import { STOCK_SPEAKERS, unseenSpeaker } from '../../bench/omni/speakers.ts';
import { beginningsOf } from '../../bench/omni/speech-onsets.ts';
import { MORE, unseenSpeakersOf } from '../../bench/omni/unseen-speakers.ts';
import { clipOf, LINE_RATE, SeededRandom, sineTone } from '../../src/apps/caller/index.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';

const stock = new StockVoices();
const styleOf = (name: string): string =>
  (stock.resolve(name).synthesis.style ?? name).replace(/^.*\//, '').replace(/\.bin$/, '');

describe('what the backchannel models are trained with', () => {
  it('has nothing of a voice by which it is measured', () => {
    const measured = new Set(
      [...VOICES['held-out'], ...OTHER_LANGUAGES.flatMap(({ voices }) => [...voices])].map(styleOf),
    );
    expect(measured.size).toBe(VOICES['held-out'].length + 5);
    const chance = new SeededRandom(7);
    for (const tongue of Object.keys(PHRASES) as Tongue[]) {
      const speakers = Array.from({ length: 400 }, () => unseenSpeaker(tongue, chance));
      for (const { styles, voice } of [...STOCK_SPEAKERS, ...speakers]) {
        expect(styles.filter((style) => measured.has(style))).toEqual([]);
        if (voice.styles.length > 0)
          expect(voice.styles.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6);
      }
      expect(new Set(speakers.map(({ styles }) => styles.join())).size).toBeGreaterThan(20);
    }
  });

  it('learns more of other languages from others, and nothing by which interruptions are measured there', () => {
    const measured = new Set(OTHER_LANGUAGES.flatMap(({ voices }) => [...voices]).map(styleOf));
    const chance = new SeededRandom(7);
    for (const { language, saying } of OTHER_LANGUAGES) {
      const far = Array.from({ length: 400 }, () => unseenSpeaker(language, chance, true));
      const learnt = [...far.map(({ voice }) => voice), ...unseenSpeakersOf(language).values()];
      for (const { styles } of learnt) expect(styles.filter(({ name }) => measured.has(name))).toEqual([]);
      const more = [MORE_PHRASES[language], MORE[language]];
      expect(more.flatMap((of) => of.saying.filter((text) => saying.some((one) => one === text)))).toEqual(
        [],
      );
      const both = [PHRASES[language], MORE_PHRASES[language]].flatMap((of) => [
        ...of.listening,
        ...of.saying,
      ]);
      expect(new Set(both).size).toBe(both.length);
    }
  });

  it('has no phrase in both kinds', () => {
    for (const { listening, saying } of Object.values(PHRASES)) {
      expect(new Set([...listening, ...saying]).size).toBe(listening.length + saying.length);
    }
  });

  it('begins where somebody begins after a pause, a moment before', () => {
    const silence = new Int16Array(LINE_RATE / 2);
    const word = sineTone(0.3, 440);
    const samples = new Int16Array([
      ...silence,
      ...word,
      ...silence.subarray(0, LINE_RATE / 10),
      ...word,
      ...silence,
      ...word,
    ]);
    const pieces = beginningsOf(clipOf({ path: 'a', kind: 'real' }, samples), 9);
    expect(pieces.map(({ startMs }) => startMs)).toEqual([250, 250]);
    expect(beginningsOf(clipOf({ path: 'a', kind: 'real' }, samples), 1)).toHaveLength(1);
    expect(beginningsOf(clipOf({ path: 'a', kind: 'real' }, silence), 9)).toEqual([]);
  });
});
