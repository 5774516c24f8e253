import { type AgentLanguage, LANGUAGE_WORDS, plainText, type Token, tokensOf } from '../text/index.ts';

const TO = new Set('to through till bis a au à से until'.split(' '));
const DASH = /[-–—]/u;
const FEWEST_LETTERS: Record<AgentLanguage, number> = { en: 3, es: 3, fr: 3, de: 2, hi: 3 };

const GROUPS: Readonly<Record<string, readonly number[]>> = {
  weekdays: [1, 2, 3, 4, 5],
  weekends: [6, 0],
  weekend: [6, 0],
  werktags: [1, 2, 3, 4, 5],
  wochenende: [6, 0],
  daily: [0, 1, 2, 3, 4, 5, 6],
};

function weekdayOf(word: string, language: AgentLanguage): number {
  const { weekdays, alsoWeekdays } = LANGUAGE_WORDS[language].calendar;
  const singular = weekdays.indexOf(word.replace(/s$/, ''));
  const whole = weekdays.indexOf(word);
  const known = whole >= 0 ? whole : singular >= 0 ? singular : alsoWeekdays[word];
  if (known !== undefined) return known;
  return word.length >= FEWEST_LETTERS[language] && word.length <= 5
    ? weekdays.findIndex((weekday) => weekday.startsWith(word))
    : -1;
}

const spans = (tokens: readonly Token[], at: number): number =>
  DASH.test(tokens[at + 1]?.gap ?? '') ? 1 : TO.has(tokens[at + 1]?.text ?? '') ? 2 : 0;

/** Adds every day that the text implies: "Mon–Thu" contains Tuesday. */
export function withDays(text: string, language: AgentLanguage): string {
  const tokens = tokensOf(plainText(text));
  const days = new Set<number>();
  tokens.forEach((token, at) => {
    for (const day of GROUPS[token.text] ?? []) days.add(day);
    const first = weekdayOf(token.text, language);
    if (first < 0) return;
    days.add(first);
    const scope = spans(tokens, at);
    const last = scope === 0 ? -1 : weekdayOf(tokens[at + scope]?.text ?? '', language);
    for (let day = first; last >= 0 && day !== last; day = (day + 1) % 7) days.add((day + 1) % 7);
  });
  const { weekdays } = LANGUAGE_WORDS[language].calendar;
  return [text, ...[...days].map((day) => weekdays[day] ?? '')].join(' ');
}
