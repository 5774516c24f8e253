import type { EngineVoice } from '../../media/engine/index.ts';

/** One caller's live audio path, as the session sees it. Times are milliseconds of the media clock: samples received
 * for the caller's side, samples played for the agent's. */
export interface VoiceLane {
  /** Where it is in the engine, for a lane of packets that joins it there. */
  readonly ref?: { readonly slot: number; readonly generation: number };
  /** Caller audio, PCM16 at the session's rate. False: it comes faster than real time and was not taken. */
  push(pcm: Uint8Array): boolean;
  /** Queues a piece of a speech: all that the agent says in one turn, numbered upwards and never reused. A held
   * speech is synthesized but not played before `release`; one that yields does not begin while the caller speaks. */
  speak(speech: number, segment: number, text: string, options: SpeakOptions): void;
  /** No more segments follow in this speech. */
  finish(speech: number): void;
  release(speech: number): void;
  /** Forgets a speech of which nothing was heard. */
  discard(speech: number): void;
  /** Stops the agent's audio now; `cut` follows when anything was playing. */
  stopPlayback(): void;
  /** Applies from the next segment on. */
  setVoice(voice: EngineVoice): void;
  setLanguage(language: string): void;
  /** Biases recognition with the text that the caller is expected to continue; null resets it. */
  setExpectedAnswer?(answer: string | null): void;
  /** Sets the current estimate of the delay until the caller hears what is sent. */
  setPlayoutDelay?(ms: number): void;
  /** Both sides are recorded from now on, where the lane was opened for it; and not while that pauses. */
  record?(): void;
  pauseRecording?(): void;
  close(): void;
}

export interface SpeakOptions {
  readonly held: boolean;
  readonly yields: boolean;
}

/** Why the voice of a provider was left. */
export type VoiceFault = 'unreachable' | 'timeout' | 'overloaded' | 'refused' | 'garbage' | 'incomplete';

/** How much of a segment the caller was sent in time; `totalMs` grows until its synthesis has ended. */
export interface PlayedSegment {
  readonly segment: number;
  readonly playedMs: number;
  readonly totalMs: number;
  readonly complete: boolean;
}

export interface CallerUtterance {
  readonly utterance: number;
  readonly text: string;
  readonly startMs: number;
  /** The true end of the speech. */
  readonly endMs: number;
  /** The time at which the endpoint fired. */
  readonly atMs: number;
  /** The time from the endpoint to the final text; 0 when speculation had it ready. */
  readonly asrMs: number;
  /** The language that was heard, among those of the agent; absent where the lane identifies none. */
  readonly identified?: IdentifiedLanguage;
}

export interface IdentifiedLanguage {
  readonly language: string;
  /** The probability among the languages of the lane. */
  readonly odds: number;
  readonly spokenMs: number;
}

export type LaneEvent =
  | { readonly kind: 'audio'; readonly pcm: Uint8Array }
  | { readonly kind: 'speech_start'; readonly atMs: number }
  | { readonly kind: 'partial'; readonly utterance: number; readonly text: string }
  /** The caller has probably finished; the text is what a final would say now. */
  | ({ readonly kind: 'eager_end' } & CallerUtterance)
  /** The caller went on after an eager end. */
  | { readonly kind: 'continued'; readonly utterance: number }
  | ({ readonly kind: 'final' } & CallerUtterance)
  /** Music began on the caller's line, or has ended; told some seconds behind `atMs`. */
  | { readonly kind: 'music'; readonly playing: boolean; readonly atMs: number }
  /** A key of the caller's telephone, heard in the sound. */
  | { readonly kind: 'key'; readonly key: string; readonly atMs: number }
  /** The caller spoke, and recognition failed: nobody knows what was said. */
  | { readonly kind: 'lost'; readonly utterance: number; readonly message: string }
  /** A short sign of listening that does not take the turn. */
  | ({ readonly kind: 'backchannel' } & CallerUtterance)
  | { readonly kind: 'playing'; readonly speech: number; readonly segment: number; readonly atMs: number }
  | { readonly kind: 'speech_played'; readonly speech: number; readonly segments: readonly PlayedSegment[] }
  | {
      readonly kind: 'cut';
      readonly speech: number;
      readonly reason: 'barge_in' | 'command';
      readonly playedMs: number;
      readonly segments: readonly PlayedSegment[];
    }
  /** A provider's voice failed, and the local one has taken over. */
  | { readonly kind: 'voice_fallback'; readonly speech: number; readonly fault: VoiceFault }
  | { readonly kind: 'speech_failed'; readonly speech: number; readonly message: string }
  | { readonly kind: 'engine_failed'; readonly message: string };
