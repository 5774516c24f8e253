/**
 * Reads the traits that a description requests. Context decides: words that are negated, compared or about something
 * else (a "light accent", "high-quality") request nothing.
 */
import type { SpeakingManner } from '../../media/engine/index.ts';
import { mergeManners } from './manners.ts';

export type Accent = 'us' | 'uk' | 'india' | 'spain' | 'france' | 'italy' | 'brazil';
export type Gender = 'female' | 'male';

export interface Traits {
  readonly gender: Gender | null;
  readonly accent: Accent;
  readonly manner: SpeakingManner;
}

const PHRASES: readonly [RegExp, string][] = [
  [/[’‘`]/g, "'"],
  [
    /\b(high|low|full)[- ](quality|fidelity|end|level|class|tech|key|latency|noise|cost|school|street|standards?)\b/g,
    ' ',
  ],
  [/\bhigh[- ]energy\b/g, 'energetic'],
  [/\blow[- ]energy\b/g, 'calm'],
  [/\bno-nonsense\b/g, 'serious'],
  [/\bhigh[- ]spirit(s|ed)\b/g, 'lively'],
  [/\b(kind|sort|type) of\b|\bkinda\b/g, ' '],
  [/\b(light|slight|soft|clear|sharp|flat|warm|deep)(?= (\w+ ){0,2}accent\b)/g, ' '],
  [/\blight[- ]?hearted\b/g, 'cheerful'],
  [/\b(warm|kind|soft)[- ]?hearted\b/g, 'warm'],
  [/\b(quick|sharp|slow)[- ]witted\b|\b(high|low|broad|narrow)[- ]minded\b/g, ' '],
  [/\bold[- ]fashioned\b|\bold friends?\b|\b(of|in) old\b|\byoung at heart\b/g, ' '],
  [/\b(king|queen)'s english\b/g, 'british'],
  [/\b(english|welsh|irish|scots|french)(wom[ae]n|m[ae]n)\b/g, '$1 $2'],
  [/\b(male or female|female or male|man or woman|woman or man|any gender)\b/g, ' '],
  [/\bmother tongue\b/g, ' '],
  [/\bnot (only|just|merely|simply)\b/g, ' '],
  [/\bfar from\b|\binstead of\b|\brather than\b|\banything but\b|\bnothing like\b/g, ' not '],
  [/n't\b/g, ' not '],
];

const STOPS = /[,;:.!?()]|\b(?:but|yet|though|although|however|instead|still)\b/;
/** The rest of the clause after these requests nothing. */
const DENIED = /\b(?:not|no|never|without|neither|nor|hardly|scarcely|barely|than|avoid)\b.*$/;

const SLIGHTLY = /\b(?:slightly|somewhat|a bit|a little|a touch|a tad|fairly|mildly)(?: more)? $/;
const LESS = /\bless $/;

interface Sound {
  readonly pattern: RegExp;
  readonly manner: SpeakingManner;
}

const word = (words: string): RegExp => new RegExp(`\\b(?:${words})\\b`);

/** Groups add up ("deep, slow, warm"); words of one group do not. */
const SOUNDS: readonly Sound[] = [
  {
    pattern: word('deep(?:er|ly)?|low(?:er)?(?:[- ]pitched)?|bass|baritone|boom(?:ing|y)|sonorous'),
    manner: { pitch: 0.84, tilt: -3 },
  },
  {
    pattern: word('high(?:er)?(?:[- ]pitched)?|squeaky|shrill|soprano|light(?:er|ly)?'),
    manner: { pitch: 1.16, tilt: 2 },
  },
  {
    pattern: word('slow(?:er|ly)?|unhurried(?:ly)?|measured|patient(?:ly)?|relaxed|leisurely'),
    manner: { speed: 0.84 },
  },
  {
    pattern: word('fast(?:er)?|quick(?:er|ly)?|brisk(?:ly|er)?|rapid(?:ly)?|hurried(?:ly)?|speedy|snappy'),
    manner: { speed: 1.17 },
  },
  {
    pattern: word(
      'warm(?:er|ly|th)?|soft(?:er|ly)?|gentl(?:e|er|y)|mellow(?:er)?|co[sz]y|soothing(?:ly)?|velvety|smooth(?:er|ly)?|kind(?:er|ly)?',
    ),
    manner: { tilt: -6, speed: 0.97 },
  },
  {
    pattern: word('bright(?:er|ly)?|crisp(?:er|ly)?|clear(?:er|ly)?|sharp(?:er|ly)?|metallic'),
    manner: { tilt: 5 },
  },
  {
    pattern: word(
      'liv(?:ely|elier)|energetic(?:ally)?|cheerful(?:ly)?|expressive(?:ly)?|excited(?:ly)?|enthusiastic(?:ally)?|upbeat|friendl(?:y|ier)|animated|playful',
    ),
    manner: { range: 1.35, speed: 1.04 },
  },
  {
    pattern: word(
      'calm(?:er|ly)?|flat(?:ter|ly)?|monotone|monotonous|serious(?:ly)?|sober|neutral|formal|professional(?:ly)?',
    ),
    manner: { range: 0.75 },
  },
];

const GENDERS: readonly [RegExp, Gender][] = [
  [
    word(
      "wom[ae]n(?:'s)?|female|lady|girl|feminine|grandmother|grandma|mother|mom|aunt|sister|daughter|queen",
    ),
    'female',
  ],
  [
    word(
      "m[ae]n(?:'s)?|male|gentleman|boy|guy|masculine|grandfather|grandpa|father|dad|uncle|brother|son|king",
    ),
    'male',
  ],
];
const PRONOUNS: readonly [RegExp, Gender][] = [
  [word('she|her|hers'), 'female'],
  [word('he|his|him'), 'male'],
];

/** The embedded engine has American, British and Indian English. Other accents use the nearest. */
const ACCENTS: readonly [RegExp, Accent][] = [
  [word('american|us|usa|united states|canadian|midwestern|texan|southern|new york|california'), 'us'],
  [
    word(
      'british|english accent|english wom[ae]n|english m[ae]n|england|london|uk|oxford|received pronunciation',
    ),
    'uk',
  ],
  [
    word(
      'scottish|scots|scotland|irish|ireland|welsh|wales|australian|australia|new zealand|kiwi|south african',
    ),
    'uk',
  ],
  [word('indian|india|delhi|mumbai|bangalore|pakistani|bengali'), 'india'],
  [word('spanish|mexican|latin|latino|latina|spain'), 'spain'],
  [word('french|paris|france'), 'france'],
  [word('italian|italy|rome'), 'italy'],
  [word('brazilian|portuguese|brazil|portugal'), 'brazil'],
];

const AGES: readonly (readonly [
  number,
  Required<Pick<SpeakingManner, 'pitch' | 'speed' | 'range' | 'tilt'>>,
])[] = [
  [8, { pitch: 1.22, speed: 1.04, range: 1.15, tilt: 2 }],
  [16, { pitch: 1.13, speed: 1.06, range: 1.12, tilt: 1.5 }],
  [23, { pitch: 1.08, speed: 1.06, range: 1.1, tilt: 1 }],
  [35, { pitch: 1, speed: 1, range: 1, tilt: 0 }],
  [48, { pitch: 0.95, speed: 0.97, range: 1, tilt: 0 }],
  [75, { pitch: 0.9, speed: 0.86, range: 1, tilt: -2 }],
];

const AGE_WORDS: readonly [RegExp, number][] = [
  [word('child|kid|boy|girl|childlike'), 8],
  [word('teen\\w*|adolescent'), 16],
  [word('young(?:er)?|youthful'), 23],
  [word('middle[- ]aged|mature'), 48],
  [word('old(?:er)?|elderly|aged|senior|grand(?:mother|father|ma|pa)'), 75],
];

const UNITS = 'one two three four five six seven eight nine'.split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const NUMBER = `\\d{1,3}|(?:${TENS.join('|')})(?:[- ](?:${UNITS.join('|')}))?|ten|twelve|fifteen|sixteen|eighteen|nineteen`;
const SMALL: Readonly<Record<string, number>> = {
  ten: 10,
  twelve: 12,
  fifteen: 15,
  sixteen: 16,
  eighteen: 18,
  nineteen: 19,
};
const YEARS_OLD = new RegExp(
  `\\b(${NUMBER})[- ]*(?:years?|yrs?)[- ]*(?:old|of age)\\b|\\b(?:aged?|age of) (${NUMBER})\\b|\\b(${NUMBER})(?: ?y\\/?o|[- ]something)\\b|(?<=\\b(?:wo)?man of )(${NUMBER})\\b`,
  'g',
);
const DECADES = 'teens twenties thirties forties fifties sixties seventies eighties nineties'.split(' ');
const IN_THEIR = new RegExp(
  `\\bin (his|her|their|the|its) (early |mid[- ]?|middle |late )?(${DECADES.join('|')}|[1-9]0'?s)\\b`,
  'g',
);

const numberOf = (said: string): number => {
  if (/^\d/.test(said)) return Number.parseInt(said, 10);
  const [tens = '', unit] = said.split(/[- ]/);
  return SMALL[tens] ?? 10 * (TENS.indexOf(tens) + 2) + (unit ? UNITS.indexOf(unit) + 1 : 0);
};

/** Removes an age in numbers from the text, so that its words ("old") are not matched again. */
function takeAge(text: string): { age: number | null; rest: string } {
  let age: number | null = null;
  const rest = text
    .replace(YEARS_OLD, (_, ...found: (string | undefined)[]) => {
      age ??= numberOf(found.slice(0, 4).find((said) => said !== undefined)!);
      return ' ';
    })
    .replace(IN_THEIR, (_, whose: string, part: string | undefined, decade: string) => {
      const tens = /^\d/.test(decade) ? Number.parseInt(decade, 10) : 10 * (DECADES.indexOf(decade) + 1);
      age ??= tens + (part?.startsWith('early') ? 2 : part?.startsWith('late') ? 8 : 5);
      return whose;
    });
  return { age, rest };
}

function mannerOfAge(age: number): SpeakingManner {
  const after = AGES.findIndex(([at]) => at >= age);
  if (after <= 0) return AGES.at(after)![1];
  const [[low, from], [high, to]] = [AGES[after - 1]!, AGES[after]!];
  const share = (age - low) / (high - low);
  const between = (name: 'pitch' | 'speed' | 'range' | 'tilt') =>
    from[name] + share * (to[name] - from[name]);
  return { pitch: between('pitch'), speed: between('speed'), range: between('range'), tilt: between('tilt') };
}

export function asked(description: string): string {
  let text = description.toLowerCase();
  for (const [phrase, instead] of PHRASES) text = text.replace(phrase, instead);
  return text
    .split(STOPS)
    .map((part) => part.replace(DENIED, ' '))
    .join(' , ')
    .replace(/ +/g, ' ');
}

export const patternsOfTraits = (): RegExp[] => [
  YEARS_OLD,
  IN_THEIR,
  ...SOUNDS.map(({ pattern }) => pattern),
  ...[...GENDERS, ...PRONOUNS, ...ACCENTS, ...AGE_WORDS].map(([pattern]) => pattern),
];

function firstSaid<T>(text: string, choices: readonly (readonly [RegExp, T])[]): T | null {
  let first: T | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [pattern, value] of choices) {
    const at = text.search(pattern);
    if (at >= 0 && at < least) [least, first] = [at, value];
  }
  return first;
}

function scaled({ pitch = 1, speed = 1, range = 1, tilt = 0 }: SpeakingManner, by: number): SpeakingManner {
  return { pitch: pitch ** by, speed: speed ** by, range: range ** by, tilt: tilt * by };
}

function soundsOf(text: string): SpeakingManner[] {
  return SOUNDS.flatMap(({ pattern, manner }) => {
    const found = pattern.exec(text);
    if (!found) return [];
    const before = text.slice(0, found.index);
    return [scaled(manner, LESS.test(before) ? -0.5 : SLIGHTLY.test(before) ? 0.5 : 1)];
  });
}

export function readTraits(description: string): Traits {
  const { age: said, rest: text } = takeAge(asked(description));
  const age = said ?? firstSaid(text, AGE_WORDS);
  const manner = mergeManners(...soundsOf(text), age === null ? undefined : mannerOfAge(age));
  return {
    gender: firstSaid(text, GENDERS) ?? firstSaid(text, PRONOUNS),
    accent: firstSaid(text, ACCENTS) ?? 'us',
    manner: bounded(manner),
  };
}

/** A style beyond these limits sounds broken. */
const bounded = (manner: SpeakingManner): SpeakingManner => ({
  speed: clamp(manner.speed ?? 1, 0.7, 1.35),
  pitch: clamp(manner.pitch ?? 1, 0.72, 1.35),
  range: clamp(manner.range ?? 1, 0.5, 1.6),
  tilt: clamp(manner.tilt ?? 0, -9, 9),
  gain: 0,
});

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
