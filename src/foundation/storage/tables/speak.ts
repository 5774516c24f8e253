import type { Environment } from '../../tenancy/index.ts';

export interface SpeakTables {
  speak_settings: SpeakSettingsRow;
  speak_pronunciations: SpeakPronunciationsRow;
  speak_voices: SpeakVoiceRow;
  speak_designs: SpeakDesignRow;
  speak_previews: SpeakPreviewRow;
  speak_requests: SpeakRequestRow;
}

export interface SpeakSettingsRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  default_voice: string;
  updated_at: number;
}

export interface SpeakPronunciationsRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  entries: string;
  updated_at: number;
}

export interface SpeakVoiceRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  name: string;
  source: 'clone' | 'design';
  engine: string;
  meta: string;
  created_at: number;
}

export interface SpeakDesignRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  description: string;
  text: string;
  candidates: string;
  created_at: number;
  expires_at: number;
}

export interface SpeakPreviewRow {
  candidate_id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  /** mp3, base64. */
  audio: string;
  expires_at: number;
}

export interface SpeakRequestRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  voice_id: string;
  characters: number;
  milliseconds: number;
  complete: number;
  created_at: number;
}
