import { tenantScopeOf } from '../../foundation/access/index.ts';
import type { StatusName } from '../../media/engine/index.ts';
import type { AnswerVerdict, FollowedAnswer, MessageEnd } from './contract.ts';
import { LiveDetection, type LiveDetectionDeps, type LiveDetectionOrder } from './live-detection.ts';
import { type AmdSettings, DEFAULT_SETTINGS, type DetectionSettings } from './records.ts';
import { DEFAULTS, type Tunables } from './tunables.ts';

/** Omni or telephony bills this call, so its detection is free. */
export interface CallUnderWay
  extends Pick<
    LiveDetectionOrder,
    'principal' | 'codec' | 'language' | 'called' | 'externalId' | 'callSid' | 'partOf' | 'wait'
  > {
  readonly tunables?: Partial<Omit<Tunables, 'mode'>>;
  /** The default is to follow who is on the line; `message_end` waits until a message can be left. */
  readonly mode?: 'follow' | 'message_end';
}

export interface InCallListener {
  answered(verdict: AnswerVerdict, transcript: string | null): void;
  holdBegan?(atMs: number, reason: string): void;
  holdEnd?(atMs: number, by: FollowedAnswer): void;
  changed?(to: FollowedAnswer, atMs: number, reason: string): void;
  messageEnd?(end: MessageEnd): void;
  over?(status: StatusName): void;
}

export interface InCallDeps extends LiveDetectionDeps {
  readonly settings: DetectionSettings;
}

export interface InCallDetection {
  readonly id: string;
  /**
   * Takes the called side's audio from the moment of the answer. Returns false where the lane has no capacity and
   * drops the piece.
   */
  push(audio: Uint8Array): boolean;
  end(): void;
}

/**
 * Detects who answered and follows who is on the line. It also sends the webhook of the project's settings. Rejects
 * with ApiError `capacity` where no lane becomes free.
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

/** Detection runs with the defaults where the settings cannot be read. */
async function settingsFor(
  { settings, log }: InCallDeps,
  { principal, callSid }: CallUnderWay,
): Promise<AmdSettings> {
  try {
    return await settings.get(tenantScopeOf(principal));
  } catch (err) {
    log.warn(
      { err, call: callSid },
      'the AMD settings of the project could not be read; the defaults are used',
    );
    return DEFAULT_SETTINGS;
  }
}
