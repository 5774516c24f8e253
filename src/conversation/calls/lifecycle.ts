import type { CallRow } from '../../foundation/storage/tables/calls.ts';

/** The state only moves forward, except for a call that was marked as lost while its node lived. */
export type CallState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'ringing' }
  | { readonly kind: 'answered'; readonly answeredAt: number }
  | {
      readonly kind: 'ended';
      readonly answeredAt: number | null;
      readonly endedAt: number;
      readonly reason: string | null;
      /** Another node ended the call at this time, because its own was lost; null where the call ended by itself. */
      readonly lostAt: number | null;
    };

export type CallEvent =
  | { readonly kind: 'rang' }
  | { readonly kind: 'answered'; readonly at: number }
  | { readonly kind: 'ended'; readonly at: number; readonly reason: string | null }
  /** The call's node has lost its lease; it last renewed the lease at `seenAt`. */
  | { readonly kind: 'lost'; readonly at: number; readonly seenAt: number }
  | { readonly kind: 'reclaimed' };

const LOST_REASON = 'lost';

export function transition(state: CallState, event: CallEvent): CallState | null {
  if (state.kind === 'ended') return state.lostAt === null ? null : afterLoss(state, event);
  const answeredAt = state.kind === 'answered' ? state.answeredAt : null;
  switch (event.kind) {
    case 'rang':
      return state.kind === 'queued' ? { kind: 'ringing' } : null;
    case 'answered':
      return state.kind === 'answered' ? null : { kind: 'answered', answeredAt: event.at };
    case 'ended':
      return { kind: 'ended', answeredAt, endedAt: event.at, reason: event.reason, lostAt: null };
    case 'lost':
      return { kind: 'ended', answeredAt, endedAt: event.seenAt, reason: LOST_REASON, lostAt: event.at };
    case 'reclaimed':
      return null;
  }
}

function afterLoss(state: Extract<CallState, { kind: 'ended' }>, event: CallEvent): CallState | null {
  const { answeredAt } = state;
  if (event.kind === 'ended') return { ...state, endedAt: event.at, reason: event.reason, lostAt: null };
  if (event.kind !== 'reclaimed') return null;
  return answeredAt === null ? { kind: 'ringing' } : { kind: 'answered', answeredAt };
}

type StateColumns = Pick<CallRow, 'state' | 'answered_at' | 'ended_at' | 'end_reason' | 'lost_at'>;

export function stateOfRow(row: StateColumns): CallState {
  const answeredAt = row.answered_at === null ? null : Number(row.answered_at);
  switch (row.state) {
    case 'queued':
    case 'ringing':
      return { kind: row.state };
    case 'answered':
      return { kind: 'answered', answeredAt: answeredAt ?? 0 };
    case 'ended': {
      const lostAt = row.lost_at === null ? null : Number(row.lost_at);
      return {
        kind: 'ended',
        answeredAt,
        endedAt: Number(row.ended_at ?? 0),
        reason: row.end_reason,
        lostAt,
      };
    }
  }
}

export const columnsOfState = (state: CallState): StateColumns => ({
  state: state.kind,
  answered_at: state.kind === 'answered' || state.kind === 'ended' ? state.answeredAt : null,
  ended_at: state.kind === 'ended' ? state.endedAt : null,
  end_reason: state.kind === 'ended' ? state.reason : null,
  lost_at: state.kind === 'ended' ? state.lostAt : null,
});
