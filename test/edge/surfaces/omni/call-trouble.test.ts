// @requirement Omni: A listed call says how slow its slowest answer was and what failed.
import { expect, it } from 'vitest';
import { showHead } from '../../../../src/edge/surfaces/omni/call-schemas.ts';

type Row = Parameters<typeof showHead>[0];

const rowWith = (turns: object | null, tools: object | null): Row =>
  ({
    id: 'ocl_00000000000000000000',
    status: 'completed',
    agent_version: null,
    turns: turns === null ? null : JSON.stringify(turns),
    tools: tools === null ? null : JSON.stringify(tools),
  }) as Row;

const turn = (turn_id: number, total: number) => ({
  turn_id,
  latency_ms: { endpoint: 0, asr: 0, brain: 0, tts: 0, total },
});
const troubleOf = (row: Row) => {
  const { max_latency_ms, degraded_turns, failed_tools } = showHead(row, false);
  return { max_latency_ms, degraded_turns, failed_tools };
};

it('gives the slowest answer, and counts each degraded turn once', () => {
  const degraded = [
    { turn_id: 4, step: 'filler', reason: 'brain_slow' },
    { turn_id: 4, step: 'apology', reason: 'brain_timeout' },
    { turn_id: 6, step: 'fallback', reason: 'brain_timeout' },
  ];
  expect(troubleOf(rowWith({ turns: [turn(2, 606), turn(6, 1_123)], degraded }, []))).toEqual({
    max_latency_ms: 1_123,
    degraded_turns: 2,
    failed_tools: 0,
  });
});

it('counts tools that failed, and those that had not responded at the end of the call', () => {
  const tools = [
    { name: 'find_order', took_ms: 12, result: {} },
    { name: 'find_order', took_ms: 1_515, error: 'the tool responded with status 500' },
    { name: 'book', took_ms: null },
  ];
  expect(troubleOf(rowWith(null, tools))).toEqual({
    max_latency_ms: null,
    degraded_turns: 0,
    failed_tools: 2,
  });
});

it('gives zeros for a call whose transcript was removed', () => {
  expect(troubleOf(rowWith(null, null))).toEqual({
    max_latency_ms: null,
    degraded_turns: 0,
    failed_tools: 0,
  });
});
