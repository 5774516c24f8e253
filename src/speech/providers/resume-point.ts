const USUAL_PACE = 65;
/** A shorter text says little about the pace. */
const LEAST_CHARACTERS = 20;
const NEWEST_SHARE = 0.3;

const SPOKEN = /[\p{L}\p{N}]/gu;

/** Counts what is pronounced: letters and digits. */
export const spokenIn = (text: string): number => text.match(SPOKEN)?.length ?? 0;

export class SpeakingPace {
  #msPerCharacter = USUAL_PACE;
  #isKnown = false;

  get isKnown(): boolean {
    return this.#isKnown;
  }

  learn(text: string, soundMs: number): void {
    const characters = spokenIn(text);
    if (characters < LEAST_CHARACTERS) return;
    const pace = soundMs / characters;
    this.#msPerCharacter = this.#isKnown
      ? this.#msPerCharacter * (1 - NEWEST_SHARE) + pace * NEWEST_SHARE
      : pace;
    this.#isKnown = true;
  }

  expectedMs(text: string): number {
    return spokenIn(text) * this.#msPerCharacter;
  }

  charactersAfter(text: string, soundMs: number): number {
    let left = soundMs / this.#msPerCharacter;
    for (const spoken of text.matchAll(SPOKEN)) {
      left -= 1;
      if (left < 0) return spoken.index;
    }
    return text.length;
  }
}

/**
 * Returns where another voice resumes: at the beginning of the last word that was begun. An estimate that is a word
 * too late would lose a word without a trace, while one that is too early repeats a word.
 */
export function resumePoint(text: string, characters: number): number {
  let from = 0;
  for (const word of text.matchAll(/\S+/g)) {
    if (word.index > 0 && word.index >= characters) break;
    from = word.index;
  }
  return characters <= 0 ? 0 : from;
}
