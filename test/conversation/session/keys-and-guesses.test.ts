import { describe, expect, it } from 'vitest';
import { BOOKING_TOOL, settle, stage, utterance } from './stage.ts';

describe('keys', () => {
  const asked = (brain: ReturnType<typeof stage>['brain']) =>
    brain.requests.map(({ request }) => request.messages.at(-1)?.content);

  it('that come one by one make one turn, a while after the last', async () => {
    const { session, brain, clock } = stage();
    session.start();
    brain.says('Thanks.');
    for (const key of '4111') {
      session.dtmf(key, 1_000);
      clock.advance(1_400);
    }
    await settle();
    expect(brain.requests).toHaveLength(0);
    clock.advance(100);
    await settle();
    expect(asked(brain)).toEqual(['(keypad) 4111']);
  });

  it('end with #, which is not told', async () => {
    const { session, brain } = stage();
    session.start();
    brain.says('Thanks.');
    for (const key of '98#') session.dtmf(key, 1_000);
    await settle();
    expect(asked(brain)).toEqual(['(keypad) 98']);
  });

  it('silence the agent with the first', async () => {
    const { session, lane, brain } = stage();
    session.start();
    session.say('We are open all day long.');
    lane.begin(0);
    session.dtmf('1', 1_000);
    expect(lane.playing).toBeNull();
    await settle();
    expect(brain.requests).toHaveLength(0);
  });

  it('and the words behind them are one turn', async () => {
    const { session, brain, clock } = stage();
    session.start();
    brain.says('Noted.');
    session.dtmf('4711', 1_000);
    session.take({ kind: 'final', ...utterance('is my number') });
    await settle();
    clock.advance(5_000);
    await settle();
    expect(asked(brain)).toEqual(['(keypad) 4711 is my number']);
  });

  it('ask nothing of a call that has ended', async () => {
    const { session, brain, clock } = stage();
    session.start();
    session.dtmf('1', 1_000);
    session.end('client_ended');
    clock.advance(5_000);
    await settle();
    expect(brain.requests).toHaveLength(0);
  });
});

describe('speculation', () => {
  // @requirement Knowledge: Retrieval starts on partials and adds no time after the endpoint.
  it('is played at once when the endpoint confirms it', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.says('At nine.');
    session.take({ kind: 'eager_end', ...utterance('When?') });
    await settle();
    expect(lane.audible).toEqual([]);
    session.take({ kind: 'final', ...utterance('When?') });
    expect(lane.audible).toEqual([{ speech: 0, text: 'At nine.' }]);
    expect(brain.requests).toHaveLength(1);
  });

  it('leaves no trace when the caller goes on', async () => {
    const { session, lane, brain, sent, invocations, dispatcher } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    session.start();
    brain.next(async function* () {
      yield { kind: 'memory', memory: 'wrong' };
      yield { kind: 'tool_call', call: { id: 'a', name: 'book', arguments: '{"day":"x"}' } };
    });
    session.take({ kind: 'eager_end', ...utterance('Book') });
    await settle();
    session.take({ kind: 'continued', utterance: 1 });
    brain.says('For Monday.');
    session.take({ kind: 'final', ...utterance('Book for Monday') });
    await settle();
    expect(invocations).toHaveLength(0);
    expect(brain.requests[1]?.request.memory).toBeUndefined();
    expect(lane.audible).toEqual([{ speech: 1, text: 'For Monday.' }]);
    expect(sent.filter((message) => JSON.stringify(message).includes('"final":true'))).toHaveLength(1);
  });

  it('is thrown away when the final words differ', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.says('Nine.').says('Ten.');
    session.take({ kind: 'eager_end', ...utterance('When on Monday') });
    await settle();
    session.take({ kind: 'final', ...utterance('When on Sunday') });
    await settle();
    expect(lane.audible).toEqual([{ speech: 1, text: 'Ten.' }]);
  });
});
