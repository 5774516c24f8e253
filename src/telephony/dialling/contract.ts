import { ApiError } from '../../foundation/platform/errors.ts';
import { storageRefusal } from '../../foundation/platform/storage-fault.ts';

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

export const PAUSED_REASONS = ['not_entitled', 'number_released', 'agent_deleted'] as const;
export type PausedReason = (typeof PAUSED_REASONS)[number];

/** `follow` continues the detection while the agent talks, until the call ends. */
export const AMD_MODES = ['detect', 'message_end', 'follow'] as const;
export type AmdMode = (typeof AMD_MODES)[number];

export interface AmdOrder {
  readonly mode: AmdMode;
  /** The project's setting applies when this is absent. */
  readonly aggressiveness?: number | string;
}

export interface CallRequest {
  /** The variables go to the agent and replace `{{name}}` in its greeting. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly amd?: AmdOrder | null;
  readonly message?: string | null;
  readonly max_duration_s?: number;
  readonly webhook_url?: string | null;
  /** The call goes on with this session, whose node was lost. */
  readonly resumes?: string;
  readonly redial?: { readonly times: number; readonly after_s: number } | null;
}

/** Throws ApiError for a message without an AMD mode that detects the end of a voicemail's greeting. */
export function checkMessage(message: string | null | undefined, amd: CallRequest['amd']): void {
  if (typeof message !== 'string' || (amd && amd.mode !== 'follow')) return;
  const what = 'A message requires amd with the mode message_end or detect, to recognize a voicemail.';
  throw new ApiError('invalid_request', what, { param: 'amd' });
}

export interface CallEnding {
  readonly reason: EndReason;
  readonly detail: string | null;
}

/** The ending of a call that could not begin. */
export function failedBy(error: unknown): CallEnding {
  const known = error instanceof ApiError ? error : storageRefusal(error);
  return { reason: 'failed', detail: known?.code ?? 'internal_error' };
}

export interface ReceivedAudioQuality {
  readonly frames: number | null;
  readonly lost: number | null;
  readonly late: number | null;
  readonly concealed: number | null;
  readonly jitter_ms: number | null;
  readonly clipped: number | null;
}

export interface CallEcho {
  readonly delay_ms: number;
  /** The level relative to what was sent; below 0 is quieter. */
  readonly level_db: number;
}

export interface CallQuality {
  readonly received?: ReceivedAudioQuality;
  readonly sent?: ReceivedAudioQuality;
  readonly mos?: number | null;
  /** The field is null when no echo was found, or when the carrier's leg does not measure it. */
  readonly echo?: CallEcho | null;
  readonly one_way?: boolean;
}
