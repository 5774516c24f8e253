/** A letter takes about 65 ms; a digit and most spoken signs are whole words. */
const CHARACTER_MS = 70;
const SPOKEN_SIGN_MS = 500;
const LEAST_MS = 500;

/** Estimates the duration generously, because it sizes the credit reservation. */
export function estimatedMs(text: string, speed = 1): number {
  let milliseconds = LEAST_MS;
  for (const character of text) {
    milliseconds += /[\p{N}\p{Sc}\p{Sm}%&@#§°]/u.test(character) ? SPOKEN_SIGN_MS : CHARACTER_MS;
  }
  return Math.ceil(milliseconds / speed);
}
