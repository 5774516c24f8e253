import type { BargeSensitivity, EngineVoice } from '../../engine/index.ts';
import type { LaneEvent, VoiceLane } from '../../session/index.ts';
import type { ServedLanguage } from './configuration.ts';
import type { OmniRate } from './connect.ts';

export interface VoiceLaneOptions {
  readonly rate: OmniRate;
  readonly language: ServedLanguage;
  readonly voice: EngineVoice;
  readonly vocabulary: readonly string[];
  readonly bargeSensitivity: BargeSensitivity;
  readonly seed?: number;
  readonly onEvent: (event: LaneEvent) => void;
}

/** The engine as a session needs it. Throws ApiError `capacity` when it is full. */
export interface VoiceEngine {
  openLane(options: VoiceLaneOptions): VoiceLane;
}
