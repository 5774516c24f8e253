export const LIMITS = {
  lines: 10_000,
  line_characters: 4_096,
  script_characters: 3_000_000,
  speakers: 50,
  speaker_characters: 64,
  pronunciations: 500,
  warnings: 100,
} as const;

/** The limit of a body that brings a script, in which every character may be escaped. */
export const BODY_BYTES = 8 * 1024 * 1024;
