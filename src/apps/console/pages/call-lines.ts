import type { Json } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import type { TranscriptLine } from '../kit/transcript-list.tsx';

export const lineOf = (entry: Json, index: number): TranscriptLine => ({
  key: String(index),
  role: entry.role,
  text: entry.text,
  startMs: entry.start_ms,
  ...(entry.interrupted ? { note: t('interrupted') } : {}),
});
