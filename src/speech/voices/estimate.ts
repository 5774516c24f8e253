/** A letter takes about 65 ms, a Chinese or Japanese character 150 to 220; a digit and most spoken signs are whole words. */
const CHARACTER_MS = 70;
const SYLLABLE_MS = 300;
const SPOKEN_SIGN_MS = 500;
const LEAST_MS = 500;
const SIGN = /[\p{N}\p{Sc}\p{Sm}%&@#§°]/u;
const SYLLABLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Estimates the duration generously, because it sizes the credit reservation. */
export function estimatedMs(text: string, speed = 1): number {
  let milliseconds = LEAST_MS;
  for (const character of text) {
    milliseconds += SIGN.test(character)
      ? SPOKEN_SIGN_MS
      : SYLLABLE.test(character)
        ? SYLLABLE_MS
        : CHARACTER_MS;
  }
  return Math.ceil(milliseconds / speed);
}
