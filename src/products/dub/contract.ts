import type { SpeakingManner } from '../../media/engine/index.ts';

export const SOURCES = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'nl'] as const;
export const TARGETS = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'zh', 'ja', 'ko', 'ru'] as const;
/** The formats of a dubbed recording; a dubbed video keeps its container. */
export const SOUND_FORMATS = ['mp3', 'wav', 'flac', 'opus'] as const;
export type SoundFormat = (typeof SOUND_FORMATS)[number];
export const BACKGROUNDS = ['separate', 'duck', 'none'] as const;

export interface DubRequest {
  /** One voice for all speakers; null chooses one for each. */
  readonly voice: string | null;
  /** The speakers agreed to voices made from theirs. */
  readonly consent: boolean;
  readonly glossary: Readonly<Record<string, string>>;
  /** The background below the new voices: the original without its voices, the whole original, or silence. */
  readonly background: (typeof BACKGROUNDS)[number];
  readonly format: SoundFormat;
}

export interface SourceMedia {
  readonly container: string;
  readonly video: boolean;
  readonly seconds: number;
}

/** A speaker and the voice that replaces theirs. */
export interface CastVoice {
  readonly speaker: string;
  /** A voice of the catalogue; null where it was made from the speaker, with consent, for this dub alone. */
  readonly voice: string | null;
  readonly name: string;
  readonly manner: SpeakingManner;
  readonly styles: readonly { readonly name: string; readonly share: number }[] | null;
  readonly pitch_hz: number | null;
  readonly voice_pitch_hz: number | null;
  /** The cosine similarity of their embeddings; 1 is the same voice. */
  readonly likeness: number | null;
}

/**
 * `fits`: as long as the original; `short`: it ends earlier; `long`: it continues into the following pause;
 * `reworded`: a shorter wording was used; `cut`: clauses were left out.
 */
export type Fit = 'fits' | 'short' | 'long' | 'reworded' | 'cut';

export interface SpokenSegment {
  readonly name: string;
  readonly voice: string;
  /** The spoken text; it is shorter than the translation where the fit requires it. */
  readonly text: string;
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly rate: number;
  readonly fit: Fit;
  /** The distance between its end and the original's end. */
  readonly error_ms: number;
}

export interface DubOutput {
  readonly name: string;
  readonly content_type: string;
  readonly extension: string;
  readonly bytes: number;
}

/** The translator of a segment: a program, or the customer. */
export const BY_CUSTOMER = 'you';
