import { escapeMarkup } from '../brains/index.ts';

/** As a model reads it: data, which can't close its own element and pose as somebody. */
export const quoteContext = (text: string): string => `<context>${escapeMarkup(text)}</context>`;
