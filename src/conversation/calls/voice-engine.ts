import type { BargeSensitivity, EngineVoice, LaneReservation, LaneTenant } from '../../media/engine/index.ts';
import type { OwnProviders, ProviderUse } from '../../speech/providers/index.ts';
import type { LaneEvent, VoiceLane } from '../session/index.ts';
import type { ServedLanguage } from './configuration.ts';

export const CALL_RATES = [8000, 16000, 24000] as const;
export type CallRate = (typeof CALL_RATES)[number];

export interface VoiceLaneOptions {
  readonly rate: CallRate;
  readonly codec?: 'ulaw';
  readonly language: ServedLanguage;
  readonly languages?: readonly ServedLanguage[];
  readonly voice: EngineVoice;
  readonly voiceUnderLoad?: EngineVoice;
  readonly voiceProvider?: string;
  readonly recognizer?: string;
  readonly ownProviders?: OwnProviders;
  readonly plan?: string;
  readonly vocabulary: readonly string[];
  readonly bargeSensitivity: BargeSensitivity;
  readonly locksSpeaker?: boolean;
  readonly denoisesRecording?: boolean;
  readonly endpointingMs?: number;
  readonly seed?: number;
  readonly keys?: boolean;
  readonly recording?: {
    readonly path: string;
    readonly began: (atMs: number) => void;
    readonly failed: (message: string) => void;
    /** It runs when the lane has ended and the file is complete. */
    readonly closed: () => void;
  };
  readonly tenant: LaneTenant;
  readonly reservation?: LaneReservation;
  /** The cache of phrases is isolated by this owner; without one, nothing is cached. */
  readonly owner?: string;
  readonly onEvent: (event: LaneEvent) => void;
}

export interface CallLane extends VoiceLane {
  readonly usesVoiceUnderLoad: boolean;
  setLanguages?(languages: readonly ServedLanguage[]): void;
  readonly providerUse?: readonly ProviderUse[];
}

/** Rejects with ApiError `capacity` where every lane stays busy. */
export interface VoiceEngine {
  openLane(options: VoiceLaneOptions): Promise<CallLane>;
}
