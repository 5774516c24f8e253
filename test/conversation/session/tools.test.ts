// @requirement Agents: Tool calls have time limits, cancellation, fillers and confirmations that a model cannot skip; late results are kept out.
// @requirement Limits: A client tool has five seconds by default.
import { describe, expect, it } from 'vitest';
import type { BrainEvent } from '../../../src/conversation/brains/index.ts';
import { BOOKING_TOOL, settle, stage, utterance } from './stage.ts';

describe('tools', () => {
  it('sends a call, says its filler, and gives the first answer to the brain', async () => {
    const { session, lane, brain, dispatcher, invocations, clock } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    session.start();
    brain.next(async function* () {
      yield { kind: 'tool_call', call: { id: 'a', name: 'book', arguments: '{"day":"Monday"}' } };
    });
    brain.says('You are booked.');
    session.take({ kind: 'final', ...utterance('Book Monday') });
    await settle();
    expect(invocations).toEqual([
      { callId: 'tc_1', name: 'book', arguments: { day: 'Monday' }, timeoutMs: 5_000 },
    ]);
    clock.advance(299);
    expect(lane.audible).toEqual([]);
    clock.advance(1);
    expect(lane.audible).toEqual([{ speech: 0, text: 'Let me look.' }]);
    expect(dispatcher.settle('tc_1', { result: { ok: true } })).toBe(true);
    expect(dispatcher.settle('tc_1', { result: { ok: false } })).toBe(true);
    expect(dispatcher.settle('tc_9', { result: 1 })).toBe(false);
    await settle();
    expect(brain.requests[1]?.request.messages.at(-1)).toEqual({
      role: 'tool',
      callId: 'a',
      name: 'book',
      content: '{"ok":true}',
    });
    expect(lane.audible).toEqual([{ speech: 0, text: 'Let me look. You are booked.' }]);
  });

  const calling = (id: string, args: string) =>
    async function* (): AsyncGenerator<BrainEvent> {
      yield { kind: 'tool_call', call: { id, name: 'book', arguments: args } };
    };

  it('says no filler for a tool that is quick, nor for a call that was not sent', async () => {
    const { session, lane, brain, dispatcher, invocations, clock } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    session.start();
    brain
      .next(calling('a', '{"day":5}'))
      .next(calling('b', 'no JSON'))
      .next(calling('c', '{"day":"Monday"}'));
    brain.says('You are booked.');
    session.take({ kind: 'final', ...utterance('Book Monday') });
    await settle();
    expect(invocations).toHaveLength(1);
    clock.advance(250);
    dispatcher.settle('tc_1', { result: 'ok' });
    await settle();
    clock.advance(1_000);
    expect(lane.audible).toEqual([{ speech: 0, text: 'You are booked.' }]);
  });

  it('says the tool’s own filler once in a turn, and is never silent for long', async () => {
    const { session, lane, brain, dispatcher, clock } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    session.start();
    brain
      .next(calling('a', '{"day":"Monday"}'))
      .next(calling('b', '{"day":"Tuesday"}'))
      .says('Both are taken.');
    session.take({ kind: 'final', ...utterance('Book Monday or Tuesday') });
    await settle();
    const said = () => lane.audible[0]?.text;
    clock.advance(4_299);
    expect(said()).toBe('Let me look.');
    clock.advance(1);
    expect(said()).toBe('Let me look. One moment, please.');
    dispatcher.settle('tc_1', { result: 'taken' });
    await settle();
    clock.advance(1_199);
    expect(said()).toBe('Let me look. One moment, please.');
    clock.advance(1);
    expect(said()).toBe('Let me look. One moment, please. One moment, please.');
    dispatcher.settle('tc_2', { result: 'taken' });
    await settle();
    expect(said()).toMatch(/Both are taken\.$/);
  });

  it('does not act twice when the brain asks twice in a turn', async () => {
    const { dispatcher, invocations } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    const first = dispatcher.call(2, 'book', '{"day":"Monday"}');
    const again = dispatcher.call(2, 'book', '{ "day": "Monday" }');
    dispatcher.settle('tc_1', { result: 'done' });
    expect(await again).toEqual(await first);
    expect(invocations).toHaveLength(1);
    void dispatcher.call(4, 'book', '{"day":"Monday"}');
    expect(invocations).toHaveLength(2);
  });

  it.each([
    ['nothing', '{}', 'unknown_tool'],
    ['book', '{"day":5}', 'invalid_arguments'],
    ['book', 'not json', 'invalid_arguments'],
    ['book', '[]', 'invalid_arguments'],
  ])('refuses %s(%s): %s', async (name, text, reason) => {
    const { dispatcher, invocations } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    expect(await dispatcher.call(1, name, text)).toMatchObject({ kind: 'error', reason });
    expect(invocations).toHaveLength(0);
  });

  it('gives up on a tool that does not answer, or when the call ends', async () => {
    const { dispatcher, clock } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    const slow = dispatcher.call(1, 'book', '{"day":"a"}');
    clock.advance(5_000);
    expect(await slow).toMatchObject({ reason: 'timeout' });
    const open = dispatcher.call(1, 'book', '{"day":"b"}');
    dispatcher.close();
    expect(await open).toMatchObject({ reason: 'closed' });
  });
});
