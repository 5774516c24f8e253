/** A letter takes about 65 ms; a digit stands for a word, and so do most marks that are spoken. */
const CHARACTER_MS = 70;
const SPOKEN_SIGN_MS = 500;
/** Breath before and behind. */
const LEAST_MS = 500;

/** About how long a text takes to say, rather too long than too short: what is reserved before it is spoken. */
export function estimatedMs(text: string, speed = 1): number {
  let milliseconds = LEAST_MS;
  for (const character of text) {
    milliseconds += /[\p{N}\p{Sc}\p{Sm}%&@#§°]/u.test(character) ? SPOKEN_SIGN_MS : CHARACTER_MS;
  }
  return Math.ceil(milliseconds / speed);
}
