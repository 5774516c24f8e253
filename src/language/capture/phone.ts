import { LANGUAGE_WORDS, phraseAt, plainText, tokensOf } from '../text/index.ts';
import { characterReading, keyCharacters, missingReading } from './capture-reading.ts';
import { type Character, characterRuns, charactersText } from './characters.ts';
import { longest } from './codes.ts';
import type { CaptureHints, CaptureReading, MissingPart, ValueReader } from './contract.ts';
import { readDigits } from './read-back.ts';

interface Plan {
  readonly code: string;
  readonly trunk: string;
  readonly min: number;
  readonly max: number;
  readonly groups?: readonly number[];
}

const plan = (code: string, trunk: string, min: number, max = min, groups?: readonly number[]): Plan => ({
  code,
  trunk,
  min,
  max,
  ...(groups === undefined ? {} : { groups }),
});

const PLANS: Readonly<Record<string, Plan>> = {
  US: plan('1', '1', 10, 10, [3, 3, 4]),
  CA: plan('1', '1', 10, 10, [3, 3, 4]),
  GB: plan('44', '0', 9, 10, [4, 3, 3]),
  IE: plan('353', '0', 7, 9),
  DE: plan('49', '0', 6, 11),
  AT: plan('43', '0', 4, 13),
  CH: plan('41', '0', 9, 9, [2, 3, 2, 2]),
  FR: plan('33', '0', 9, 9, [1, 2, 2, 2, 2]),
  BE: plan('32', '0', 8, 9),
  NL: plan('31', '0', 9),
  ES: plan('34', '', 9, 9, [3, 3, 3]),
  PT: plan('351', '', 9, 9, [3, 3, 3]),
  IT: plan('39', '', 6, 11),
  IN: plan('91', '0', 10, 10, [5, 5]),
  BR: plan('55', '0', 10, 11),
  MX: plan('52', '', 10, 10, [2, 4, 4]),
  AR: plan('54', '0', 10, 11),
  CO: plan('57', '', 10, 10, [3, 3, 4]),
  AU: plan('61', '0', 9, 9, [3, 3, 3]),
};

/** E.164 allows at most 15 digits; an unknown country's number has at least eight. */
const LENGTHS = { min: 8, max: 15 };
const DEFAULT_COUNTRY = 'US';

const known = Object.values(PLANS).sort((a, b) => b.code.length - a.code.length);

interface Number {
  readonly plan: Plan | null;
  readonly national: string;
  readonly e164: string;
}

function numberOf(digits: string, international: boolean, home: Plan): Number {
  const prefixed = /^(00|011)/.exec(digits)?.[0] ?? '';
  if (international || (prefixed !== '' && digits.length > LENGTHS.min + 2)) {
    const rest = international ? digits : digits.slice(prefixed.length);
    const own = known.find(({ code }) => rest.startsWith(code)) ?? null;
    const national = rest.slice(own?.code.length ?? 0);
    // "+44 (0)20" has a trunk prefix in brackets that only national calls dial.
    const bare = own !== null && own.trunk === '0' ? national.replace(/^0/, '') : national;
    return { plan: own, national: bare, e164: `+${own?.code ?? ''}${bare}` };
  }
  const withTrunk = home.trunk !== '' && digits.startsWith(home.trunk) && digits.length > home.min;
  const national = withTrunk ? digits.slice(home.trunk.length) : digits;
  return { plan: home, national, e164: `+${home.code}${national}` };
}

function missingOf({ plan: own, national }: Number): MissingPart | null {
  const { min, max } = own ?? LENGTHS;
  if (national.length < min || national.length > max)
    return { what: 'length', have: national.length, min, max };
  // The North American plan has no area or exchange code that begins with 0 or 1.
  if (own?.code === '1' && !/^[2-9]\d{2}[2-9]\d{6}$/.test(national)) return { what: 'format' };
  return null;
}

export function readingOfPhone(heard: readonly Character[], hints: CaptureHints): CaptureReading {
  const home = PLANS[hints.country ?? DEFAULT_COUNTRY] ?? (PLANS[DEFAULT_COUNTRY] as Plan);
  const text = charactersText(heard);
  const international = text.startsWith('+');
  const digits = text.replace('+', '');
  const number = numberOf(digits, international, home);
  const abroad = number.plan !== home;
  const national = readDigits(number.national, number.plan?.groups);
  const readBack = abroad ? `+ ${[...(number.plan?.code ?? '')].join(' ')}, ${national}` : national;
  return characterReading(heard, number.e164, missingOf(number), readBack);
}

export const readPhone: ValueReader = (said, keys, hints) => {
  if (/^\+?\d+$/.test(keys)) return readingOfPhone(keyCharacters(keys), hints);
  const run = longest(characterRuns(said, hints.language, 'digits'));
  if (run === null) return missingReading();
  const tokens = tokensOf(plainText(said.text));
  const plus =
    run.from > 0 &&
    phraseAt(tokens, run.from - 1, ['+', ...LANGUAGE_WORDS[hints.language].spelling.plus]) > 0;
  const signed = plus && charactersText(run.characters)[0] !== '+';
  return readingOfPhone(signed ? [{ char: '+', confidence: 1 }, ...run.characters] : run.characters, hints);
};
