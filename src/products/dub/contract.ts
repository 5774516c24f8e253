import type { SpeakingManner } from '../../media/engine/index.ts';

export const SOURCES = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'nl'] as const;
export const TARGETS = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'zh', 'ja', 'ko', 'ru'] as const;
/** The formats of a dubbed recording; a dubbed video keeps its container. */
export const SOUND_FORMATS = ['mp3', 'wav', 'flac', 'opus'] as const;
export type SoundFormat = (typeof SOUND_FORMATS)[number];
export const BACKGROUNDS = ['separate', 'duck', 'none'] as const;

export interface DubRequest {
  /** One voice for all; null: one is found for each speaker. */
  readonly voice: string | null;
  /** The speakers agreed that voices like theirs are made. */
  readonly consent: boolean;
  readonly glossary: Readonly<Record<string, string>>;
  /** The background below the new voices: the original sound without its voices, all of it, or nothing. */
  readonly background: (typeof BACKGROUNDS)[number];
  readonly format: SoundFormat;
}

/** The file, once it was looked at. */
export interface SourceMedia {
  readonly container: string;
  readonly video: boolean;
  readonly seconds: number;
}

/** Who speaks, and who speaks in their place. */
export interface CastVoice {
  readonly speaker: string;
  /** A voice of the catalogue; null: made from the speaker, with consent, for this dub alone. */
  readonly voice: string | null;
  readonly name: string;
  /** JSON of the engine's voice. */
  readonly manner: SpeakingManner;
  readonly styles: readonly { readonly name: string; readonly share: number }[] | null;
  /** The pitch of the speaker and of the voice, in hertz. */
  readonly pitch_hz: number | null;
  readonly voice_pitch_hz: number | null;
  /** The cosine similarity of their embeddings: 1 is the same voice. */
  readonly likeness: number | null;
}

/** `fits`: said in the time of the original; `short`: sooner said; `long`: it goes on into the pause behind; `reworded`: a
 * shorter wording was found; `cut`: clauses were left out. */
export type Fit = 'fits' | 'short' | 'long' | 'reworded' | 'cut';

/** How a segment is spoken. */
export interface SpokenSegment {
  /** The name of the audio in blob storage. */
  readonly name: string;
  readonly voice: string;
  /** The spoken text; it is shorter than the translation where the fit requires it. */
  readonly text: string;
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly rate: number;
  readonly fit: Fit;
  /** How far its end lies from the end of the original. */
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
