import type { JobKind } from '../contract.ts';
import { outOfRange } from '../options.ts';
import type { FlatOptions } from '../packed-records.ts';

export type SpeechLanguage = 'en' | 'es' | 'fr' | 'de' | 'hi' | 'it' | 'pt' | 'zh' | 'ja';
export const SPEECH_LANGUAGES: readonly SpeechLanguage[] = [
  'en',
  'es',
  'fr',
  'de',
  'hi',
  'it',
  'pt',
  'zh',
  'ja',
];
export const SPEECH_RATES = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const;
export type SpeechRate = (typeof SPEECH_RATES)[number];
export type SpeechFormat = 'pcm16' | 'ulaw' | 'alaw';

export interface SpeakingManner {
  readonly speed?: number;
  readonly pitch?: number;
  readonly range?: number;
  /** The gain in decibels relative to the loudness that all voices share. */
  readonly gain?: number;
  readonly tilt?: number;
}

export interface AddedEngineVoice {
  readonly folder: string;
  readonly rate: number;
  readonly speaker: number;
  readonly cost: number;
}

export interface EngineVoice {
  readonly model: 'kokoro' | 'piper' | 'hibari';
  /** A voice that the operator added speaks any language that the phonemizer knows; others speak a SpeechLanguage. */
  readonly language: string;
  /** A code of native/text/phonemes/pronunciation.h, or the phonemizer's own for an added voice. */
  readonly accent: string;
  readonly added?: AddedEngineVoice;
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
  readonly offline?: boolean;
  /** Synthesizes every clause at once, as the published model does: the baseline for streaming. */
  readonly whole?: boolean;
  /** With 0, a long clause is synthesized completely before its first audio. For comparison. */
  readonly openings?: 0 | 1;
  readonly window?: number;
}

const MANNERS = ['speed', 'pitch', 'range', 'gain', 'tilt'] as const;

/**
 * Returns the cost of a call in thousandths of a core for a voice with this real-time factor. It includes
 * recognition, turns and the speaking voice. The stock voices' measured costs are on this line or below it.
 */
export const costOfVoice = (realTimeFactor: number): number =>
  Math.min(4000, Math.max(200, Math.round(180 + 480 * realTimeFactor)));

/** The layout is that of native/lanes/speak/synthesize_job.cc, for jobs and for lanes that speak. */
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

export const synthesizeJob: JobKind<SynthesizeOptions> = {
  name: 'synthesize',
  flatten: ({ voice, rate, format, seed, offline, whole, window, openings }) => {
    if (!SPEECH_RATES.includes(rate)) outOfRange('rate', SPEECH_RATES.join(', '), rate);
    return { ...flattenVoice(voice), rate, format, seed, offline, whole, window, openings };
  },
};
