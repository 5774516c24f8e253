/** The English texts stand in the code, and are the keys of the other languages. */
export type Words = Readonly<Record<string, string>>;

export const LANGUAGES = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  de: 'Deutsch',
  it: 'Italiano',
  pt: 'Português',
  hi: 'हिन्दी',
  nl: 'Nederlands',
} as const;
export type Language = keyof typeof LANGUAGES;

const LOADERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ default: Words }>>> = {
  es: () => import('./es.ts'),
  fr: () => import('./fr.ts'),
  de: () => import('./de.ts'),
  it: () => import('./it.ts'),
  pt: () => import('./pt.ts'),
  hi: () => import('./hi.ts'),
  nl: () => import('./nl.ts'),
};
const STORAGE_KEY = 'trunkline.language';

let words: Words = {};
let chosen: Language = 'en';

const isLanguage = (text: string | null | undefined): text is Language =>
  typeof text === 'string' && Object.hasOwn(LANGUAGES, text);

export const language = (): Language => chosen;

export async function chooseLanguage(): Promise<void> {
  const stored = localStorage.getItem(STORAGE_KEY);
  const wished = navigator.languages.map((one) => one.slice(0, 2)).find(isLanguage);
  chosen = isLanguage(stored) ? stored : (wished ?? 'en');
  document.documentElement.lang = chosen;
  if (chosen !== 'en') words = (await LOADERS[chosen]()).default;
}

/** Reloads the page, because modules read their texts when they load. */
export function speak(wanted: Language): void {
  localStorage.setItem(STORAGE_KEY, wanted);
  location.reload();
}

export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const said = words[text] ?? text;
  return said.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
