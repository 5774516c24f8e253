import type { Recognizer } from '../../../speech/transcription/index.ts';
import { passes, type TranslationOffer, type TranslationRequest, type Translator } from './contract.ts';

/** English is the one language that Whisper translates into. */
const INTO = 'en';
const TRIED_EVERY_MS = 24 * 3_600_000;

export interface WhisperTranslatorDeps {
  readonly recognizer: Recognizer;
  readonly sources: readonly string[];
  /** The probe's sentence as PCM16 at 16 kHz. */
  readonly trial: (signal: AbortSignal) => Promise<{ readonly source: string; readonly pcm: Buffer }>;
}

/** Whisper's translation task, from audio to English. It takes neither a glossary nor a length. */
export class WhisperTranslator implements Translator {
  readonly name = 'whisper';
  readonly keepsGlossary = false;
  readonly shortens = false;
  readonly reads = 'sound';
  readonly goodForMs = TRIED_EVERY_MS;
  readonly #deps: WhisperTranslatorDeps;

  constructor(deps: WhisperTranslatorDeps) {
    this.#deps = deps;
  }

  async offers(signal: AbortSignal): Promise<readonly TranslationOffer[]> {
    const { source, pcm } = await this.#deps.trial(signal);
    if (!passes(await this.#hear(source, pcm, signal), INTO)) return [];
    return this.#deps.sources
      .filter((language) => language !== INTO)
      .map((language) => ({ source: language, target: INTO, via: null }));
  }

  async translate(
    { source }: TranslationOffer,
    { sound }: TranslationRequest,
    signal: AbortSignal,
  ): Promise<string> {
    if (sound === null) throw new Error('Whisper can only translate spoken text, and this text was edited');
    const text = await this.#hear(source, await sound(), signal);
    if (text === '') throw new Error('Whisper recognized nothing to translate');
    return text;
  }

  async #hear(language: string, pcm: Buffer, signal: AbortSignal): Promise<string> {
    const options = {
      from: 0,
      language,
      vocabulary: [],
      translates: true,
      environment: 'live' as const,
      signal,
    };
    const parts: string[] = [];
    for await (const { span } of this.#deps.recognizer.transcribe(one(pcm), options)) {
      if (span) parts.push(span.text.trim());
    }
    return parts.join(' ').trim();
  }
}

async function* one(pcm: Buffer): AsyncGenerator<Buffer> {
  yield pcm;
}
