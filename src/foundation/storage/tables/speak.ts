import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the speak module owns. */
export interface SpeakTables {
  speak_settings: SpeakSettingsRow;
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

/** A voice that an organization made: a clone (vc_) or a design (vd_). */
export interface SpeakVoiceRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  name: string;
  source: 'clone' | 'design';
  /** JSON: how the engine speaks it. */
  engine: string;
  /** JSON: what was measured when it was made, and what the customer gave along. */
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
  /** JSON: the candidates. */
  candidates: string;
  created_at: number;
  expires_at: number;
}

/** A candidate's sample, retained as long as its design. */
export interface SpeakPreviewRow {
  candidate_id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  /** mp3, base64. */
  audio: string;
  expires_at: number;
}

/** The text of a synthesis whose audio was sent; a usage event bills it. */
export interface SpeakRequestRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  voice_id: string;
  characters: number;
  milliseconds: number;
  /** Sent to the end, or the client left. */
  complete: number;
  created_at: number;
}
