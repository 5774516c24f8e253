import { PRONUNCIATION_LIMITS } from '../../speech/voices/index.ts';

export const LIMITS = {
  lines: 10_000,
  line_characters: 4_096,
  script_characters: 3_000_000,
  speakers: 50,
  speaker_characters: 64,
  pronunciations: PRONUNCIATION_LIMITS.entries,
  warnings: 100,
} as const;

/** The limit lets every character of the longest script be escaped in JSON. */
export const BODY_BYTES = 8 * 1024 * 1024;
