import type { JobKind } from '../contract.ts';
import { outOfRange } from '../options.ts';
import type { FlatOptions } from '../packed-records.ts';

export type SpeechLanguage = 'en' | 'es' | 'fr' | 'de' | 'hi' | 'it' | 'pt';
export const SPEECH_LANGUAGES: readonly SpeechLanguage[] = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt'];
export const SPEECH_RATES = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const;
export type SpeechRate = (typeof SPEECH_RATES)[number];
export type SpeechFormat = 'pcm16' | 'ulaw' | 'alaw';

/** How a voice speaks, beside its own sound: an emotion, a design and a request's speed are values of these. */
export interface SpeakingManner {
  /** A factor of the speech rate; 1 is the voice's own. */
  readonly speed?: number;
  readonly pitch?: number;
  /** A factor of the pitch range: below 1 is flatter, above is livelier. */
  readonly range?: number;
  /** Decibels against the loudness that all voices share. */
  readonly gain?: number;
  /** Decibels of high tones against low: below 0 warmer. */
  readonly tilt?: number;
}

/** A Piper voice that the operator added. */
export interface AddedEngineVoice {
  /** The folder of its files. */
  readonly folder: string;
  readonly rate: number;
  /** The number of the speaker; 0 where there is one. */
  readonly speaker: number;
  /** A call that speaks with the voice takes so many thousandths of a core. */
  readonly cost: number;
}

/** A voice as the engine speaks it. */
export interface EngineVoice {
  readonly model: 'kokoro' | 'piper' | 'hibari';
  /** A voice that the operator added speaks any language that the phonemizer knows; others speak a SpeechLanguage. */
  readonly language: string;
  /** A code of native/text/phonemes/pronunciation.h; of an added voice, the phonemizer's own. */
  readonly accent: string;
  readonly added?: AddedEngineVoice;
  /** Style tables and their shares, which add up to 1; none for a model without styles. */
  readonly styles: readonly { readonly name: string; readonly share: number }[];
  readonly manner?: SpeakingManner;
  /** The watermark's code, 32 hexadecimal digits; native/dsp/watermark/pattern.h has the contract. */
  readonly mark?: string;
}

export interface SynthesizeOptions {
  readonly voice: EngineVoice;
  readonly rate: SpeechRate;
  readonly format: SpeechFormat;
  readonly seed?: number;
  /** Nobody listens while it is made: live work goes first. */
  readonly offline?: boolean;
  /** Every clause at once, as the model was published: what streaming is compared with. */
  readonly whole?: boolean;
  /** 0: a long clause is read to its end before its first sound. For comparison. */
  readonly openings?: 0 | 1;
  /** Frames of 12.5 ms: windows of this size alone. For comparison. */
  readonly window?: number;
}

const MANNERS = ['speed', 'pitch', 'range', 'gain', 'tilt'] as const;

/**
 * The cost of a call, in thousandths of a core, with a voice that takes so much processor time for a second of speech. It
 * holds recognition, turns, and the voice while it speaks. The stock voices' measured costs lie on this line or below it.
 */
export const costOfVoice = (realTimeFactor: number): number =>
  Math.min(4000, Math.max(250, Math.round(245 + 330 * realTimeFactor)));

/** As native/lanes/speak/synthesize_job.cc reads a voice, for jobs and for lanes that speak. */
export function flattenVoice(voice: EngineVoice): FlatOptions {
  if (voice.model === 'kokoro' && (voice.styles.length === 0 || voice.styles.length > 16)) {
    outOfRange('styles', '1 to 16 styles', voice.styles.length);
  }
  return {
    model: voice.model,
    language: voice.language,
    accent: voice.accent,
    styles: voice.styles.map(({ name, share }) => `${name}:${share.toFixed(6)}`),
    mark: voice.mark,
    folder: voice.added?.folder,
    voice_rate: voice.added?.rate,
    speaker: voice.added?.speaker,
    cost: voice.added?.cost,
    ...Object.fromEntries(MANNERS.map((name) => [name, voice.manner?.[name]])),
  };
}

/** Speaks the text that is the input; native/lanes/speak/synthesize_job.h tells the contract. */
export const synthesizeJob: JobKind<SynthesizeOptions> = {
  name: 'synthesize',
  flatten: ({ voice, rate, format, seed, offline, whole, window, openings }) => {
    if (!SPEECH_RATES.includes(rate)) outOfRange('rate', SPEECH_RATES.join(', '), rate);
    return { ...flattenVoice(voice), rate, format, seed, offline, whole, window, openings };
  },
};
