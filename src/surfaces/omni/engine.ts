import type { LaneEvent, VoiceChoice, VoiceLane } from '../../session/index.ts';
import type { OmniRate } from './connect.ts';

export type BargeSensitivity = 'high' | 'normal' | 'low' | number;

export interface VoiceLaneOptions {
  readonly rate: OmniRate;
  readonly language: string;
  readonly voice: VoiceChoice;
  readonly vocabulary: readonly string[];
  readonly bargeSensitivity: BargeSensitivity;
  readonly onEvent: (event: LaneEvent) => void;
}

/** The engine as a session needs it. Throws ApiError `capacity` when it is full. */
export interface VoiceEngine {
  openLane(options: VoiceLaneOptions): VoiceLane;
}
