import { tenantScopeOf } from '../../foundation/access/index.ts';
import type { StatusName } from '../../media/engine/index.ts';
import type { AnswerVerdict, FollowedAnswer, MessageEnd } from './contract.ts';
import { LiveDetection, type LiveDetectionDeps, type LiveDetectionOrder } from './live-detection.ts';
import { type AmdSettings, DEFAULT_SETTINGS, type DetectionSettings } from './records.ts';
import { DEFAULTS, type Tunables } from './tunables.ts';

/** A call that Omni or telephony has under way: they bill it, so that its detection is free. */
export interface CallUnderWay
  extends Pick<
    LiveDetectionOrder,
    'principal' | 'codec' | 'language' | 'called' | 'externalId' | 'callSid' | 'partOf' | 'wait'
  > {
  /** These settings override the project's. */
  readonly tunables?: Partial<Omit<Tunables, 'mode'>>;
  /** Who is on the line is followed, unless a message is to be left on a machine. */
  readonly mode?: 'follow' | 'message_end';
}

export interface InCallListener {
  /** Once: who or what answered. */
  answered(verdict: AnswerVerdict, transcript: string | null): void;
  /** Nobody is on the line for a while: music plays, or somebody asked to wait. */
  holdBegan?(atMs: number, reason: string): void;
  /** Somebody or something is back: the call's `hold_end`. */
  holdEnd?(atMs: number, by: FollowedAnswer): void;
  /** Another is on the line than before, without a hold between. */
  changed?(to: FollowedAnswer, atMs: number, reason: string): void;
  messageEnd?(end: MessageEnd): void;
  /** Last; the call itself goes on. */
  over?(status: StatusName): void;
}

export interface InCallDeps extends LiveDetectionDeps {
  readonly settings: DetectionSettings;
}

/** A detection that lives in somebody else's call. */
export interface InCallDetection {
  /** The id of the call's record. */
  readonly id: string;
  /** The called side's audio, from the moment of the answer; false where a piece found no room and was left out. */
  push(audio: Uint8Array): boolean;
  /** The call has ended. */
  end(): void;
}

/**
 * Tells who answered a call and, for as long as it goes on, who is on the line; the webhook of the project's settings is told too.
 * Rejects with ApiError `capacity` where no lane becomes free.
 */
export async function detectInCall(
  deps: InCallDeps,
  { tunables, mode = 'follow', ...call }: CallUnderWay,
  listener: InCallListener,
): Promise<InCallDetection> {
  const { aggressiveness, timeout_ms: timeoutMs, webhook_url: webhookUrl } = await settingsFor(deps, call);
  const live = await LiveDetection.begin(
    deps,
    {
      ...call,
      tunables: { ...DEFAULTS, aggressiveness, timeoutMs, ...tunables, mode },
      streamSid: null,
      admission: null,
      webhookUrl,
    },
    {
      verdict: (verdict, transcript) => listener.answered(verdict, transcript),
      messageEnd: (end) => listener.messageEnd?.(end),
      update: ({ from, to, atMs, reason }) => {
        if (to === 'hold') listener.holdBegan?.(atMs, reason);
        else if (from === 'hold') listener.holdEnd?.(atMs, to);
        else listener.changed?.(to, atMs, reason);
      },
      over: (status) => listener.over?.(status),
    },
  );
  return { id: live.id, push: (audio) => live.push(audio) !== 'full', end: () => live.hangUp() };
}

/** A call is judged also where the settings can't be read now. */
async function settingsFor(
  { settings, log }: InCallDeps,
  { principal, callSid }: CallUnderWay,
): Promise<AmdSettings> {
  try {
    return await settings.get(tenantScopeOf(principal));
  } catch (err) {
    log.warn(
      { err, call: callSid },
      'the AMD settings of the project could not be read; the call is judged by the defaults',
    );
    return DEFAULT_SETTINGS;
  }
}
