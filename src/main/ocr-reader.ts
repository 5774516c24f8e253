import type { PageOcr } from '../conversation/knowledge/index.ts';
import { findTesseract, PictureReader } from '../telephony/compliance/index.ts';

const TESSERACT_LANGUAGES: Readonly<Record<string, string>> = {
  en: 'eng',
  es: 'spa',
  fr: 'fra',
  de: 'deu',
  hi: 'hin',
};

/** Returns null where a required program is missing. */
export function ocrReader(configured: string | null, ffmpeg: string | undefined): PageOcr | null {
  const tesseract = findTesseract(configured);
  if (tesseract === null || ffmpeg === undefined) return null;
  return {
    of(language) {
      const letters = TESSERACT_LANGUAGES[language];
      if (letters === undefined || !tesseract.languages.includes(letters)) return null;
      const reader = new PictureReader(ffmpeg, tesseract, { language: letters, layout: 'text' });
      return async (picture, signal) => await reader.paragraphs(picture, signal);
    },
  };
}
