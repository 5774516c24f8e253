import type { EngineVoice } from '../../media/engine/index.ts';
import type { AnswerVoice, CallerAudio } from '../brains/index.ts';

/** One caller's live audio path, as the session sees it. Times are milliseconds of the media clock: samples received
 * for the caller's side, samples played for the agent's. */
export interface VoiceLane {
  /** The engine uses the reference to join a packet lane to this one. */
  readonly ref?: { readonly slot: number; readonly generation: number };
  /** The audio is PCM16 at the session's rate. Returns false where it comes faster than real time and was dropped. */
  push(pcm: Uint8Array): boolean;
  /**
   * Queues a segment of a speech, which is everything the agent says in one turn. Speech numbers increase and are
   * never reused. A held speech is synthesized but not played before `release`; one that yields does not begin while
   * the caller speaks.
   */
  speak(speech: number, segment: number, text: string, options: SpeakOptions): void;
  finish(speech: number): void;
  release(speech: number): void;
  discard(speech: number): void;
  /** Stops the agent's audio now; `speech_interrupted` follows where anything was playing. */
  stopPlayback(): void;
  /** Applies from the next segment on. */
  setVoice(voice: EngineVoice): void;
  setLanguage(language: string): void;
  /** Returns the sound of the caller's last utterance where the message ends with its words. */
  callerAudio?(message: string): CallerAudio | null;
  /** Biases recognition to what the caller is expected to say; null resets it. */
  setExpectedAnswer?(answer: ExpectedAnswer | null): void;
  setPlayoutDelay?(ms: number): void;
  /** A model's own voice is played where it comes with an answer. */
  readonly playsModelVoice?: boolean;
  /** Records both sides from now on, where the lane was opened for it, and pauses. */
  record?(): void;
  pauseRecording?(): void;
  close(): void;
}

export interface ExpectedAnswer {
  /** The answer is expected to continue this text. */
  readonly before?: string;
  /** These words are listened for in addition to the call's own vocabulary. */
  readonly vocabulary?: readonly string[];
}

export interface SpeakOptions {
  readonly held: boolean;
  readonly yields: boolean;
  /** The text is the next part of this answer, whose audio has it. */
  readonly voice?: AnswerVoice;
  /** Spells a text as the lane's own voice is to say it, where that ends what the answer's voice leaves. */
  readonly spell?: (text: string) => string;
}

export type VoiceFault = 'unreachable' | 'timeout' | 'overloaded' | 'refused' | 'garbage' | 'incomplete';

/** The caller was sent this much of a segment in time; `totalMs` grows until its synthesis has ended. */
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
  /** The true end of the speech, before the endpointing delay. */
  readonly endMs: number;
  readonly atMs: number;
  /** The time from the endpoint to the final text; 0 when speculation had it ready. */
  readonly asrMs: number;
  /** The most probable of the agent's languages; absent where the lane identifies none. */
  readonly identified?: IdentifiedLanguage;
}

export interface OthersSpeech {
  readonly words: number;
  readonly startMs: number;
  readonly endMs: number;
}

export interface IdentifiedLanguage {
  readonly language: string;
  readonly odds: number;
  readonly spokenMs: number;
}

export type LaneEvent =
  | { readonly kind: 'audio'; readonly pcm: Uint8Array }
  | { readonly kind: 'speech_start'; readonly atMs: number }
  | { readonly kind: 'partial'; readonly utterance: number; readonly text: string }
  /** The caller has probably finished; a final now would have this text. */
  | ({ readonly kind: 'eager_end' } & CallerUtterance)
  | { readonly kind: 'continued'; readonly utterance: number }
  | ({ readonly kind: 'final' } & CallerUtterance)
  /** Music began or ended on the caller's line; the event comes some seconds after `atMs`. */
  | { readonly kind: 'music'; readonly playing: boolean; readonly atMs: number }
  | { readonly kind: 'key'; readonly key: string; readonly atMs: number }
  | { readonly kind: 'lost'; readonly utterance: number; readonly message: string }
  | ({ readonly kind: 'backchannel' } & CallerUtterance)
  | { readonly kind: 'playing'; readonly speech: number; readonly segment: number; readonly atMs: number }
  | { readonly kind: 'speech_played'; readonly speech: number; readonly segments: readonly PlayedSegment[] }
  | {
      readonly kind: 'speech_interrupted';
      readonly speech: number;
      readonly reason: 'barge_in' | 'command';
      readonly playedMs: number;
      readonly segments: readonly PlayedSegment[];
    }
  /** Another than the caller spoke; the words are in no text and no turn. */
  | ({ readonly kind: 'left_out' } & OthersSpeech)
  | { readonly kind: 'voice_fallback'; readonly speech: number; readonly fault: VoiceFault }
  | { readonly kind: 'speech_failed'; readonly speech: number; readonly message: string }
  | { readonly kind: 'engine_failed'; readonly message: string };
