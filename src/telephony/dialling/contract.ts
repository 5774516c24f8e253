import { ApiError } from '../../foundation/platform/errors.ts';

/** The public types of telephone calls. */

export const CALL_STATES = ['queued', 'ringing', 'answered', 'ended'] as const;
export type CallState = (typeof CALL_STATES)[number];

export const END_REASONS = [
  'completed',
  'busy',
  'no_answer',
  'rejected',
  'failed',
  'canceled',
  'machine',
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Why a campaign stopped by itself. */
export const PAUSED_REASONS = ['not_entitled', 'number_released', 'agent_deleted'] as const;
export type PausedReason = (typeof PAUSED_REASONS)[number];

/** `follow`: whoever answered is followed while the agent talks, as long as the call goes on. */
export const AMD_MODES = ['detect', 'message_end', 'follow'] as const;
export type AmdMode = (typeof AMD_MODES)[number];

/** How a call is heard first. */
export interface AmdOrder {
  readonly mode: AmdMode;
  /** The project's setting applies when this is absent. */
  readonly aggressiveness?: number | string;
}

export interface CallRequest {
  /** Told to the agent, and put in the place of `{{name}}` in its greeting. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly amd?: AmdOrder | null;
  /** Left on a voicemail, after its beep. */
  readonly message?: string | null;
  readonly max_duration_s?: number;
  readonly webhook_url?: string | null;
  /** How often a call that was declined is dialed again, and after how long. */
  readonly redial?: { readonly times: number; readonly after_s: number } | null;
}

/** Throws ApiError for a message that nobody would leave: it takes a mode that hears where a voicemail's greeting ends. */
export function checkMessage(message: string | null | undefined, amd: CallRequest['amd']): void {
  if (typeof message !== 'string' || (amd && amd.mode !== 'follow')) return;
  const what =
    'A message is left where `amd` hears that a voicemail answers: its mode is `message_end` or `detect`.';
  throw new ApiError('invalid_request', what, { param: 'amd' });
}

export interface CallEnding {
  readonly reason: EndReason;
  /** The detail is a text for people. */
  readonly detail: string | null;
}

/** The quality of one direction is null when the carrier does not report it. */
export interface ReceivedAudioQuality {
  readonly frames: number | null;
  readonly lost: number | null;
  readonly late: number | null;
  readonly concealed: number | null;
  readonly jitter_ms: number | null;
  /** Share of the samples that are cut flat, 0 to 1. */
  readonly clipped: number | null;
}

/** The echo of our audio from the far side. */
export interface CallEcho {
  readonly delay_ms: number;
  /** The level relative to what was sent; below 0 is quieter. */
  readonly level_db: number;
}

/** Sound of both directions, as the carrier's leg saw it. */
export interface CallQuality {
  readonly received?: ReceivedAudioQuality;
  readonly sent?: ReceivedAudioQuality;
  readonly mos?: number | null;
  /** The field is null when no echo was found, or when the carrier's leg does not measure it. */
  readonly echo?: CallEcho | null;
  /** Nothing came from the other side although the call was answered. */
  readonly one_way?: boolean;
}
