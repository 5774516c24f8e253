import type { Principal, TenantScope } from '../../foundation/access/contract.ts';
import type { AnswerUpdate, AnswerVerdict, Evidence, MessageEnd, Mode } from './contract.ts';
import type { Fingerprint } from './fingerprint-match.ts';
import { DEFAULTS, type Tunables } from './tunables.ts';

export interface DecidedCall {
  readonly id: string;
  readonly principal: Principal;
  readonly streamSid: string | null;
  readonly callSid: string | null;
  readonly partOf: string | null;
  readonly called: string | null;
  readonly externalId: string | null;
  readonly tunables: Tunables;
  readonly verdict: AnswerVerdict;
  readonly evidence: readonly Evidence[];
  readonly transcript: string | null;
  readonly heardMs: number;
  readonly hold: string | null;
  readonly bundled: boolean;
  readonly webhookUrl: string | null;
}

export interface CallRest {
  readonly messageEnd: MessageEnd | null;
  readonly updates: readonly AnswerUpdate[];
  readonly evidence: readonly Evidence[];
  readonly transcript: string | null;
  readonly fingerprint: Fingerprint | null;
  readonly heardMs: number;
}

export interface DetectionRecords {
  /** Writes the record with its usage at the verdict. */
  decided(call: DecidedCall): Promise<void>;
  ended(scope: TenantScope, id: string, rest: CallRest, webhookUrl: string | null): Promise<void>;
  greetings(
    scope: TenantScope,
    called: string,
  ): Promise<readonly { readonly id: string; readonly fingerprint: Fingerprint }[]>;
}

export interface AmdSettings {
  readonly aggressiveness: number;
  readonly mode: Mode;
  readonly timeout_ms: number;
  readonly webhook_url: string | null;
}

export const DEFAULT_SETTINGS: AmdSettings = {
  aggressiveness: DEFAULTS.aggressiveness,
  mode: DEFAULTS.mode,
  timeout_ms: DEFAULTS.timeoutMs,
  webhook_url: null,
};

export interface DetectionSettings {
  get(scope: TenantScope): Promise<AmdSettings>;
}
