import { escapeMarkup } from '../brains/index.ts';

/** Escapes the text, so that data cannot close its own element and pose as a speaker. */
export const quoteContext = (text: string): string => `<context>${escapeMarkup(text)}</context>`;
