import { describe, expect, it } from 'vitest';
import { beginningsOf } from '../../bench/omni/beginnings.ts';
import { VOICES } from '../../bench/omni/corpus.ts';
import { ELSEWHERE } from '../../bench/omni/elsewhere.ts';
import { MORE, strangersOf } from '../../bench/omni/elsewhere-strangers.ts';
import { PHRASES, type Tongue } from '../../bench/omni/phrases.ts';
import { MORE_PHRASES } from '../../bench/omni/phrases-elsewhere.ts';
import { STOCK_SPEAKERS, stranger } from '../../bench/omni/speakers.ts';
import { Chance, clipOf, RATE, tone } from '../../src/apps/caller/index.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';

const stock = new StockVoices();
const styleOf = (name: string): string =>
  (stock.resolve(name).synthesis.style ?? name).replace(/^.*\//, '').replace(/\.bin$/, '');

describe('what the judge of interruptions learns from', () => {
  it('has nothing of a voice by which it is measured', () => {
    const measured = new Set(
      [...VOICES['held-out'], ...ELSEWHERE.flatMap(({ voices }) => [...voices])].map(styleOf),
    );
    expect(measured.size).toBe(VOICES['held-out'].length + 5);
    const chance = new Chance(7);
    for (const tongue of Object.keys(PHRASES) as Tongue[]) {
      const strangers = Array.from({ length: 400 }, () => stranger(tongue, chance));
      for (const { styles, voice } of [...STOCK_SPEAKERS, ...strangers]) {
        expect(styles.filter((style) => measured.has(style))).toEqual([]);
        if (voice.styles.length > 0)
          expect(voice.styles.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6);
      }
      expect(new Set(strangers.map(({ styles }) => styles.join())).size).toBeGreaterThan(20);
    }
  });

  it('learns more of other languages from others, and nothing by which interruptions are measured there', () => {
    const measured = new Set(ELSEWHERE.flatMap(({ voices }) => [...voices]).map(styleOf));
    const chance = new Chance(7);
    for (const { language, saying } of ELSEWHERE) {
      const far = Array.from({ length: 400 }, () => stranger(language, chance, true));
      const learnt = [...far.map(({ voice }) => voice), ...strangersOf(language).values()];
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
    const silence = new Int16Array(RATE / 2);
    const word = tone(0.3, 440);
    const samples = new Int16Array([
      ...silence,
      ...word,
      ...silence.subarray(0, RATE / 10),
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
