// @requirement States: A call has the transitions of its state machine and no others.
import { describe, expect, it } from 'vitest';
import { type CallEvent, type CallState, transition } from '../../../src/conversation/calls/index.ts';
import { columnsOfState, stateOfRow } from '../../../src/conversation/calls/lifecycle.ts';

const QUEUED: CallState = { kind: 'queued' };
const RINGING: CallState = { kind: 'ringing' };
const ANSWERED: CallState = { kind: 'answered', answeredAt: 5 };
const ENDED: CallState = { kind: 'ended', answeredAt: 5, endedAt: 9, reason: 'completed', lostAt: null };
const LOST: CallState = { kind: 'ended', answeredAt: 5, endedAt: 8, reason: 'lost', lostAt: 9 };
const LOST_RINGING: CallState = { ...LOST, answeredAt: null };

const rang: CallEvent = { kind: 'rang' };
const answered: CallEvent = { kind: 'answered', at: 5 };
const ended: CallEvent = { kind: 'ended', at: 9, reason: 'completed' };
const lost: CallEvent = { kind: 'lost', at: 9, seenAt: 8 };
const reclaimed: CallEvent = { kind: 'reclaimed' };

describe('the life of a call', () => {
  it.each<[CallState, CallEvent, CallState | null]>([
    [QUEUED, rang, RINGING],
    [QUEUED, answered, ANSWERED],
    [QUEUED, ended, { ...ENDED, answeredAt: null }],
    [QUEUED, lost, LOST_RINGING],
    [RINGING, rang, null],
    [RINGING, answered, ANSWERED],
    [RINGING, lost, LOST_RINGING],
    [ANSWERED, rang, null],
    [ANSWERED, answered, null],
    [ANSWERED, ended, ENDED],
    [ANSWERED, lost, LOST],
    [ANSWERED, reclaimed, null],
    [ENDED, rang, null],
    [ENDED, answered, null],
    [ENDED, ended, null],
    [ENDED, lost, null],
    [ENDED, reclaimed, null],
    [LOST, lost, null],
    [LOST, answered, null],
    [LOST, reclaimed, ANSWERED],
    [LOST_RINGING, reclaimed, RINGING],
    [LOST, ended, ENDED],
  ])('%j and %j', (state, event, next) => {
    expect(transition(state, event)).toEqual(next);
  });

  it.each([QUEUED, RINGING, ANSWERED, ENDED, LOST])('%j is read as it was written', (state) => {
    expect(stateOfRow(columnsOfState(state))).toEqual(state);
  });
});
