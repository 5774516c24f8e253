/**
 * Speakers to train on: the stock voices of the development half, and any number of others, each a blend of two of
 * its styles with its own pitch, pace, melody and tilt. No style of the other half, nor of the part `elsewhere`, is
 * in any of them.
 */

import type { SeededRandom } from '../../src/apps/caller/index.ts';
import type { EngineVoice, SpeechLanguage } from '../../src/media/engine/index.ts';
import { stockVoice } from '../../src/speech/voices/catalogue.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';
import { VOICES } from './corpus.ts';
import type { Tongue } from './phrases.ts';

export interface Speaker {
  readonly styles: readonly string[];
  readonly voice: EngineVoice;
}

const stock = new StockVoices();
export const speakerOf = (voice: EngineVoice): Speaker => ({
  styles: voice.styles.length > 0 ? voice.styles.map(({ name }) => name) : [voice.model],
  voice,
});

export const STOCK_SPEAKERS: readonly Speaker[] = VOICES.development.map((name) =>
  speakerOf(stockVoice(stock.resolve(name)).engine),
);

/** These voices speak other languages than the tested one: with a foreign accent, or with nothing else of the language. */
const ABROAD = [
  'em_santa',
  'hf_beta',
  'hm_omega',
  'if_sara',
  'im_nicola',
  'pf_dora',
  'pm_alex',
  'pm_santa',
  'am_santa',
];
/** These voices are of languages that are not served. bench/omni/unseen-speakers.ts has others. */
const FAR = [
  'zf_xiaobei',
  'zf_xiaoni',
  'zf_xiaoyi',
  'zm_yunjian',
  'zm_yunxi',
  'zm_yunxia',
  'jf_gongitsune',
  'jf_nezumi',
  'jf_tebukuro',
];
const HOME = STOCK_SPEAKERS.flatMap(({ voice }) => voice.styles.map(({ name }) => name));
const NEAR: Readonly<Record<Tongue, readonly string[]>> = {
  en: HOME,
  es: ['em_santa', 'pf_dora', 'pm_alex', 'pm_santa', 'if_sara', 'im_nicola'],
  fr: ['if_sara', 'im_nicola', 'em_santa', 'pf_dora', 'pm_alex'],
  hi: ['hf_beta', 'hm_omega'],
};
const ACCENTS: Readonly<Record<Tongue, readonly string[]>> = {
  en: ['en-us', 'en-us', 'en-gb', 'en-in'],
  es: ['es'],
  fr: ['fr-fr'],
  hi: ['hi'],
};

/** Makes an unseen speaker; with `far`, half of them blend a style of a more distant language. */
export function unseenSpeaker(tongue: Tongue, chance: SeededRandom, far = false): Speaker {
  const pool = (): readonly string[] => {
    const abroad = chance.next() < (tongue === 'en' ? 0.25 : 0.5);
    if (tongue === 'en') return abroad ? ABROAD : HOME;
    if (!abroad) return NEAR[tongue];
    return far && chance.next() < 0.5 ? FAR : [...HOME, ...ABROAD];
  };
  const first = chance.pick(pool());
  const second = chance.pick(pool().filter((name) => name !== first));
  const share = chance.between(0.5, 1);
  return speakerOf({
    model: 'kokoro',
    language: tongue as SpeechLanguage,
    accent: chance.pick(ACCENTS[tongue]),
    styles: [
      { name: first, share },
      { name: second, share: 1 - share },
    ],
    manner: {
      speed: chance.between(0.85, 1.25),
      pitch: chance.between(0.88, 1.14),
      range: chance.between(0.6, 1.4),
      tilt: chance.between(-3, 3),
    },
  });
}
