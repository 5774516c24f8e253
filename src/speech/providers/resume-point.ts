/** Milliseconds of sound for each letter or digit, before a provider's own pace is known. */
const USUAL_PACE = 65;
/** A shorter text says little about the pace. */
const LEAST_CHARACTERS = 20;
const NEWEST_SHARE = 0.3;

const SPOKEN = /[\p{L}\p{N}]/gu;

const spokenIn = (text: string): number => text.match(SPOKEN)?.length ?? 0;

/** How fast a voice speaks, learned from the texts that it has finished. */
export class SpeakingPace {
  #msPerCharacter = USUAL_PACE;
  #isKnown = false;

  learn(text: string, soundMs: number): void {
    const characters = spokenIn(text);
    if (characters < LEAST_CHARACTERS) return;
    const pace = soundMs / characters;
    this.#msPerCharacter = this.#isKnown
      ? this.#msPerCharacter * (1 - NEWEST_SHARE) + pace * NEWEST_SHARE
      : pace;
    this.#isKnown = true;
  }

  /** How long the text takes, about. */
  expectedMs(text: string): number {
    return spokenIn(text) * this.#msPerCharacter;
  }

  /** How many characters of the text are spoken after so long. */
  charactersAfter(text: string, soundMs: number): number {
    let left = soundMs / this.#msPerCharacter;
    for (const spoken of text.matchAll(SPOKEN)) {
      left -= 1;
      if (left < 0) return spoken.index;
    }
    return text.length;
  }
}

/** Returns where another voice goes on when so many characters were spoken: at the beginning of the last word that was begun. An estimate
 * that is a word too late would lose a word, and nobody would know; one that is too early says a word twice. */
export function resumePoint(text: string, characters: number): number {
  let from = 0;
  for (const word of text.matchAll(/\S+/g)) {
    if (word.index > 0 && word.index >= characters) break;
    from = word.index;
  }
  return characters <= 0 ? 0 : from;
}
