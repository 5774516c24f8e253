/** Names the model whose own voice an answer has. */
export interface VoiceOfModel {
  /** The name of the model's entry. */
  readonly name: string;
  readonly host: string;
  /** Samples a second. */
  readonly rate: number;
  /** The longest wait for the first audio of a text. */
  readonly firstAudioMs: number;
  /** The longest wait for further audio when none is left to play. */
  readonly betweenAudioMs: number;
}

/** A part of an answer: words, or PCM16 that may end within a sample. */
export type AnswerPart = string | Uint8Array;

/** The words and the audio of one answer, in the order in which the model sent them. One consumer takes them. */
export class AnswerVoice {
  readonly of: VoiceOfModel;
  /** All words so far, which may be ahead of the audio. */
  words = '';
  /** `complete` has all audio of its words; `cut` ended before its audio did. */
  end: 'complete' | 'cut' | null = null;
  /** The server has ended an audio; whether all of it came is known with `end`. */
  isPaused = false;
  readonly #parts: AnswerPart[] = [];
  #wake: () => void = () => undefined;

  constructor(of: VoiceOfModel) {
    this.of = of;
  }

  add(part: AnswerPart): void {
    if (typeof part === 'string') this.words += part;
    if (this.end === 'complete') this.end = null;
    this.isPaused = false;
    this.#parts.push(part);
    this.#wake();
  }

  pause(): void {
    this.isPaused = true;
    this.#wake();
  }

  finish(end: 'complete' | 'cut'): void {
    this.end ??= end;
    this.#wake();
  }

  take(): AnswerPart | undefined {
    return this.#parts.shift();
  }

  /** Resolves when a part comes or the answer ends, and at an abort. */
  changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#parts.length > 0 || this.end !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake);
    });
  }
}
