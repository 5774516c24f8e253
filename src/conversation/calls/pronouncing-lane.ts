import type { EngineVoice } from '../../media/engine/index.ts';
import {
  type ProjectPronunciation,
  PronunciationDictionary,
  pronunciationsIn,
} from '../../speech/voices/index.ts';
import type { ExpectedAnswer, SpeakOptions, VoiceLane } from '../session/index.ts';

/** The voice says the project's words by their spelling; the session keeps them as they are written. */
export class PronouncingLane implements VoiceLane {
  readonly #lane: VoiceLane;
  readonly #pronunciations: readonly ProjectPronunciation[];
  #dictionary: PronunciationDictionary;

  constructor(lane: VoiceLane, pronunciations: readonly ProjectPronunciation[], language: string) {
    this.#lane = lane;
    this.#pronunciations = pronunciations;
    this.#dictionary = new PronunciationDictionary(pronunciationsIn(language, pronunciations));
  }

  get ref(): VoiceLane['ref'] {
    return this.#lane.ref;
  }

  get playsModelVoice(): boolean {
    return this.#lane.playsModelVoice === true;
  }

  speak(speech: number, segment: number, text: string, options: SpeakOptions): void {
    const dictionary = this.#dictionary;
    // A model's own voice says the words as they are written, and is compared with them.
    if (options.voice === undefined) this.#lane.speak(speech, segment, dictionary.apply(text), options);
    else this.#lane.speak(speech, segment, text, { ...options, spell: (part) => dictionary.apply(part) });
  }

  setLanguage(language: string): void {
    this.#dictionary = new PronunciationDictionary(pronunciationsIn(language, this.#pronunciations));
    this.#lane.setLanguage(language);
  }

  push = (pcm: Uint8Array): boolean => this.#lane.push(pcm);
  finish = (speech: number): void => this.#lane.finish(speech);
  release = (speech: number): void => this.#lane.release(speech);
  discard = (speech: number): void => this.#lane.discard(speech);
  stopPlayback = (): void => this.#lane.stopPlayback();
  setVoice = (voice: EngineVoice): void => this.#lane.setVoice(voice);
  callerAudio: NonNullable<VoiceLane['callerAudio']> = (message) => this.#lane.callerAudio?.(message) ?? null;
  setExpectedAnswer = (answer: ExpectedAnswer | null): void => this.#lane.setExpectedAnswer?.(answer);
  setPlayoutDelay = (ms: number): void => this.#lane.setPlayoutDelay?.(ms);
  record = (): void => this.#lane.record?.();
  pauseRecording = (): void => this.#lane.pauseRecording?.();
  close = (): void => this.#lane.close();
}
