import type { BargeSensitivity, EngineVoice, LaneReservation, LaneTenant } from '../../media/engine/index.ts';
import type { ProviderUse } from '../../speech/providers/index.ts';
import type { LaneEvent, VoiceLane } from '../session/index.ts';
import type { ServedLanguage } from './configuration.ts';

/** Samples a second of a caller's audio. */
export const CALL_RATES = [8000, 16000, 24000] as const;
export type CallRate = (typeof CALL_RATES)[number];

export interface VoiceLaneOptions {
  readonly rate: CallRate;
  readonly codec?: 'ulaw';
  readonly language: ServedLanguage;
  /** Those that the caller may speak; every utterance is in `language` where there are not several. */
  readonly languages?: readonly ServedLanguage[];
  readonly voice: EngineVoice;
  /** This voice replaces the first where the machine is overloaded; without it none does. */
  readonly voiceUnderLoad?: EngineVoice;
  /** A name of the operator's list of voices elsewhere; absent: its default, where it has one. */
  readonly voiceProvider?: string;
  readonly vocabulary: readonly string[];
  readonly bargeSensitivity: BargeSensitivity;
  /** Silence that ends a turn; absent: the engine's own. */
  readonly endpointingMs?: number;
  readonly seed?: number;
  /** Keys are heard in the sound; absent: the line tells them. */
  readonly keys?: boolean;
  /** The file that the call is recorded to once `record` asks for it. */
  readonly recording?: {
    readonly path: string;
    readonly began: (atMs: number) => void;
    readonly failed: (message: string) => void;
    /** The lane has ended, and the file is whole. */
    readonly closed: () => void;
  };
  readonly tenant: LaneTenant;
  /** The lane that was reserved for it; without one it takes a free lane. */
  readonly reservation?: LaneReservation;
  /** Cached phrases are isolated by this owner; without one nothing is cached. */
  readonly owner?: string;
  readonly onEvent: (event: LaneEvent) => void;
}

/** The lane of a call: `gaveWay` where it was opened with the voice that is allowed under load. */
export interface CallLane extends VoiceLane {
  readonly usesVoiceUnderLoad: boolean;
  /** Another agent has the call: the languages that the caller may speak from now on. */
  setLanguages?(languages: readonly ServedLanguage[]): void;
  /** The requests to voices elsewhere so far; absent: there are none. */
  readonly providerUse?: readonly ProviderUse[];
}

/** The engine as a session needs it. Rejects with ApiError `capacity` when it is full and stays so. */
export interface VoiceEngine {
  openLane(options: VoiceLaneOptions): Promise<CallLane>;
}
