import type { EngineVoice } from '../../engine/index.ts';

/** What a session must know of a voice. */
export interface OmniVoice {
  /** The canonical id that is served. */
  readonly id: string;
  readonly language: string;
  readonly tier: 'standard' | 'natural';
  readonly engine: EngineVoice;
}

/** Voices by any of their names, the organization's own ones among them. */
export interface VoiceDirectory {
  /** Null: no voice of that name works in a session of this organization. */
  find(orgId: string, name: string): Promise<OmniVoice | null>;
  defaultFor(orgId: string, language: string): Promise<OmniVoice>;
}
