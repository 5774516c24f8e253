import type { AmdCallRow } from '../../foundation/storage/tables/amd.ts';
import {
  type Answer,
  type AnswerUpdate,
  type AnswerVerdict,
  type CarrierAnswer,
  carrierAnswer,
  type Evidence,
  type MessageEnd,
} from '../../speech/amd/index.ts';

export interface ShownEvidence {
  readonly at_ms: number;
  /** When it began, where that was heard. */
  readonly from_ms?: number;
  /** When it ended, of what is known whole. */
  readonly to_ms?: number;
  readonly kind: string;
  readonly detail: string;
}

/** The view of a call in its record and in the events `amd.decided` and `amd.message_ended`. */
export interface AmdCall {
  readonly id: string;
  readonly object: 'amd.call';
  readonly stream_sid: string | null;
  readonly call_sid: string | null;
  readonly to: string | null;
  readonly external_id: string | null;
  readonly answered_by: Answer;
  readonly answered_by_twilio: CarrierAnswer;
  readonly reason: string;
  readonly reasons: readonly { readonly code: string; readonly detail: string; readonly weight: number }[];
  readonly confidence: number;
  readonly at_ms: number;
  readonly message_end: { readonly kind: MessageEnd['kind']; readonly at_ms: number } | null;
  readonly updates: readonly { from: string; to: string; at_ms: number; reason: string }[];
  readonly transcript: string | null;
  readonly evidence: readonly ShownEvidence[];
  readonly duration_ms: number;
  readonly corrected_to: Answer | null;
  readonly created_at: number;
}

export function viewOf(row: AmdCallRow): AmdCall {
  const verdict = JSON.parse(row.verdict) as AnswerVerdict;
  const end = row.message_end === null ? null : (JSON.parse(row.message_end) as MessageEnd);
  const updates = row.updates === null ? [] : (JSON.parse(row.updates) as AnswerUpdate[]);
  const beep =
    end !== null ? (`machine_end_${end.kind}` as CarrierAnswer) : carrierAnswer(verdict.answeredBy);
  return {
    id: row.id,
    object: 'amd.call',
    stream_sid: row.stream_sid,
    call_sid: row.call_sid,
    to: row.called,
    external_id: row.external_id,
    answered_by: verdict.answeredBy,
    answered_by_twilio: beep,
    reason: verdict.reason,
    reasons: verdict.because.map(({ code, detail, weight }) => ({
      code,
      detail,
      weight: Math.round(weight * 10) / 10,
    })),
    confidence: verdict.confidence,
    at_ms: verdict.atMs,
    message_end: end === null ? null : { kind: end.kind, at_ms: end.atMs },
    updates: updates.map(({ from, to, atMs, reason }) => ({ from, to, at_ms: atMs, reason })),
    transcript: row.transcript,
    evidence: (JSON.parse(row.evidence) as Evidence[]).map(shown),
    duration_ms: Number(row.heard_ms),
    corrected_to: row.corrected_to as Answer | null,
    created_at: Number(row.created_at),
  };
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;

function shown(evidence: Evidence): ShownEvidence {
  return {
    at_ms: evidence.atMs,
    ...('fromMs' in evidence ? { from_ms: evidence.fromMs } : {}),
    ...('toMs' in evidence ? { to_ms: evidence.toMs } : {}),
    kind: evidence.kind,
    detail: detailOf(evidence),
  };
}

function detailOf(evidence: Evidence): string {
  switch (evidence.kind) {
    case 'speech':
      return `from ${seconds(evidence.fromMs)}`;
    case 'quiet':
      return `from ${seconds(evidence.fromMs)}; speech at ${evidence.levelDbfs} dBFS over ${evidence.floorDbfs}`;
    case 'tone':
      return `${evidence.tone}, ${seconds(evidence.fromMs)} to ${seconds(evidence.toMs)}${evidence.hertz > 0 ? `, ${evidence.hertz} Hz` : ''}`;
    case 'music':
      return evidence.playing
        ? `begins at ${seconds(evidence.fromMs)}`
        : `ended at ${seconds(evidence.fromMs)}`;
    case 'words':
      return evidence.text;
    case 'repeat':
      return `${Math.round(evidence.likeness * 100)} % like the greeting of ${evidence.call}`;
  }
}
