/** A description in words to voices: what the words ask for, then candidates that differ. The same seed gives the same. */
import type { EngineVoice, SpeakingManner } from '../../engine/index.ts';
import { joinManners } from './manners.ts';

/** What was heard in a description. */
export interface Traits {
  readonly gender: 'female' | 'male' | null;
  readonly accent: Accent;
  readonly manner: SpeakingManner;
}

type Accent = 'us' | 'uk' | 'india' | 'spain' | 'france' | 'italy' | 'brazil';

interface Word {
  readonly pattern: RegExp;
  readonly gender?: 'female' | 'male';
  readonly accent?: Accent;
  readonly manner?: SpeakingManner;
}

/** Every word that has an effect, and which. Words of one group add up ("very deep, slow, old"). */
const WORDS: readonly Word[] = [
  { pattern: /\b(wom[ae]n|female|lady|girl|feminine|she|her|grandmother|mother|queen)\b/, gender: 'female' },
  { pattern: /\b(m[ae]n|male|gentleman|boy|guy|masculine|he|his|grandfather|father|king)\b/, gender: 'male' },
  { pattern: /\b(british|english accent|london|uk|england|oxford)\b/, accent: 'uk' },
  { pattern: /\b(indian|india|delhi|mumbai)\b/, accent: 'india' },
  { pattern: /\b(spanish|mexican|latin|latino|latina|spain)\b/, accent: 'spain' },
  { pattern: /\b(french|paris|france)\b/, accent: 'france' },
  { pattern: /\b(italian|italy|rome)\b/, accent: 'italy' },
  { pattern: /\b(brazilian|portuguese|brazil)\b/, accent: 'brazil' },
  { pattern: /\b(child|kid|boy|girl)\b/, manner: { pitch: 1.22, speed: 1.04, range: 1.15, tilt: 2 } },
  {
    pattern: /\b(young|youthful|teen\w*|twent\w+)\b/,
    manner: { pitch: 1.08, speed: 1.06, range: 1.1, tilt: 1 },
  },
  { pattern: /\b(old|older|elderly|aged|senior|grand\w+)\b/, manner: { pitch: 0.9, speed: 0.86, tilt: -2 } },
  { pattern: /\b(middle.aged|mature)\b/, manner: { pitch: 0.95, speed: 0.97 } },
  { pattern: /\b(deep|low|bass|baritone|booming)\b/, manner: { pitch: 0.84, tilt: -3 } },
  { pattern: /\b(high|squeaky|soprano|light)\b/, manner: { pitch: 1.16, tilt: 2 } },
  { pattern: /\b(slow|slowly|unhurried|measured|patient|relaxed)\b/, manner: { speed: 0.84 } },
  { pattern: /\b(fast|quick|brisk|rapid|hurried)\b/, manner: { speed: 1.17 } },
  { pattern: /\b(warm|soft|gentle|mellow|cozy|soothing|velvety|kind)\b/, manner: { tilt: -6, speed: 0.97 } },
  { pattern: /\b(bright|crisp|clear|sharp|metallic)\b/, manner: { tilt: 5 } },
  {
    pattern: /\b(lively|energetic|cheerful|expressive|excited|enthusiastic|upbeat|friendly)\b/,
    manner: { range: 1.35, speed: 1.04 },
  },
  { pattern: /\b(calm|flat|monotone|serious|sober|neutral|formal|professional)\b/, manner: { range: 0.75 } },
];

const NEGATED = /\b(?:not|no|never|without|isn't)(?: too| very| a| an| at all)? (\w+)/g;

/** Words that stand after "not" ask for nothing. */
export function readTraits(description: string): Traits {
  const text = description.toLowerCase().replace(NEGATED, ' ');
  let gender: Traits['gender'] = null;
  let accent: Accent = 'us';
  const manners: SpeakingManner[] = [];
  for (const word of WORDS) {
    if (!word.pattern.test(text)) continue;
    gender ??= word.gender ?? null;
    if (word.accent && accent === 'us') accent = word.accent;
    if (word.manner) manners.push(word.manner);
  }
  return { gender, accent, manner: bounded(joinManners(...manners)) };
}

/** Beyond these a style sounds broken, not designed. */
const bounded = (manner: SpeakingManner): SpeakingManner => ({
  speed: clamp(manner.speed ?? 1, 0.7, 1.35),
  pitch: clamp(manner.pitch ?? 1, 0.72, 1.35),
  range: clamp(manner.range ?? 1, 0.5, 1.6),
  tilt: clamp(manner.tilt ?? 0, -9, 9),
  gain: 0,
});

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

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

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}

/** `count` voices that fit the description; no two of them lead with the same style where the pool has enough. */
export function designVoices(description: string, count: number, seed: number): EngineVoice[] {
  const traits = readTraits(description);
  const pool = POOLS[traits.accent];
  const random = randomFrom(seed);
  const names = traits.gender === null ? [...pool.female, ...pool.male] : pool[traits.gender];
  const leads = shuffled(names, random);
  // A second style colours the first; an accent keeps to its own styles, or borrows of the same gender.
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
      manner: joinManners(traits.manner, jitter),
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
