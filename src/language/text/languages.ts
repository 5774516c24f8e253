import type { AgentLanguage, AgentLanguageWords, LanguageCode, LanguageWords } from './contract.ts';
import { DE } from './de.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { FR } from './fr.ts';
import { HI } from './hi.ts';
import { IT } from './it.ts';
import { NL } from './nl.ts';
import { PT } from './pt.ts';

export const AGENT_LANGUAGE_WORDS: Readonly<Record<AgentLanguage, AgentLanguageWords>> = {
  en: EN,
  es: ES,
  fr: FR,
  de: DE,
  hi: HI,
};

export const LANGUAGE_WORDS: Readonly<Record<LanguageCode, LanguageWords>> = {
  ...AGENT_LANGUAGE_WORDS,
  it: IT,
  pt: PT,
  nl: NL,
};
