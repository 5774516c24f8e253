/** Turns a description into different candidate voices. The same seed gives the same candidates. */

import { randomFrom } from '../../foundation/platform/seeded-random.ts';
import type { EngineVoice } from '../../media/engine/index.ts';
import { type Accent, readTraits } from './design-words.ts';
import { mergeManners } from './manners.ts';

const POOLS: Readonly<
  Record<Accent, { accent: string; female: readonly string[]; male: readonly string[] }>
> = {
  us: {
    accent: 'en-us',
    female: [
      'af_heart',
      'af_bella',
      'af_nicole',
      'af_sarah',
      'af_aoede',
      'af_kore',
      'af_nova',
      'af_sky',
      'af_alloy',
    ],
    male: ['am_michael', 'am_fenrir', 'am_puck', 'am_echo', 'am_eric', 'am_liam', 'am_onyx', 'am_adam'],
  },
  uk: {
    accent: 'en-gb',
    female: ['bf_emma', 'bf_isabella', 'bf_alice', 'bf_lily'],
    male: ['bm_george', 'bm_fable', 'bm_lewis', 'bm_daniel'],
  },
  india: { accent: 'en-in', female: ['hf_alpha', 'hf_beta'], male: ['hm_omega', 'hm_psi'] },
  spain: { accent: 'en-us', female: ['ef_dora', 'pf_dora'], male: ['em_alex', 'em_santa'] },
  france: { accent: 'en-us', female: ['ff_siwis'], male: ['im_nicola', 'em_alex'] },
  italy: { accent: 'en-us', female: ['if_sara'], male: ['im_nicola'] },
  brazil: { accent: 'en-us', female: ['pf_dora', 'ef_dora'], male: ['pm_alex', 'pm_santa'] },
};

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}

export function designVoices(description: string, count: number, seed: number): EngineVoice[] {
  const traits = readTraits(description);
  const pool = POOLS[traits.accent];
  const random = randomFrom(seed);
  const names = traits.gender === null ? [...pool.female, ...pool.male] : pool[traits.gender];
  const leads = shuffled(names, random);
  // A second style colours the first. An accent uses its own styles, or borrows ones of the same gender.
  const others = shuffled(
    names.length > 2 ? names : [...names, ...POOLS.us[traits.gender ?? 'female']],
    random,
  );
  return Array.from({ length: count }, (_, index) => {
    const lead = leads[index % leads.length]!;
    const second = others.filter((name) => name !== lead)[index % Math.max(1, others.length - 1)];
    const share = 0.65 + 0.25 * random() - 0.1 * Math.floor(index / leads.length);
    const jitter = { pitch: 0.97 + 0.06 * random(), speed: 0.98 + 0.04 * random() };
    return {
      model: 'kokoro',
      language: 'en',
      accent: pool.accent,
      styles: second ? blend(lead, second, share) : [{ name: lead, share: 1 }],
      manner: mergeManners(traits.manner, jitter),
    };
  });
}

const blend = (lead: string, second: string, share: number) => {
  const rounded = Math.round(share * 100) / 100;
  return [
    { name: lead, share: rounded },
    { name: second, share: Math.round((1 - rounded) * 100) / 100 },
  ];
};
