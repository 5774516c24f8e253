import { describe, expect, it } from 'vitest';
import { BrainError, type BrainFault } from '../../../src/conversation/brains/index.ts';
import { settle, stage, utterance } from './stage.ts';

type Staged = ReturnType<typeof stage>;

const TOOL = { name: 'look', description: '', parameters: {}, timeoutMs: 5_000, filler: null };

const fails = (fault: BrainFault) => (staged: Staged) =>
  staged.brain.next(() => {
    throw new BrainError(fault, 'no', { retryable: false });
  });
const silent = (staged: Staged) => staged.brain.says('.');
const loops = (staged: Staged) => {
  for (let round = 0; round < 4; round++) {
    staged.brain.next(async function* () {
      const call = { id: 'c', name: 'look', arguments: JSON.stringify({ round: staged.invocations.length }) };
      yield { kind: 'tool_call', call };
    });
  }
};

async function threeTurns(
  staged: Staged,
  turns: readonly ((staged: Staged) => unknown)[],
  trial?: (staged: Staged) => unknown,
) {
  const { session, lane, dispatcher, invocations } = staged;
  dispatcher.replace([TOOL]);
  session.start();
  for (const [speech, turn] of turns.entries()) {
    turn(staged);
    if (speech === 2) trial?.(staged);
    session.take({ kind: 'final', ...utterance(`Question ${speech}`, { utterance: speech }) });
    await settle();
    for (const { callId } of invocations) dispatcher.settle(callId, { result: 'again' });
    for (let round = 0; round < 4; round++) {
      await settle();
      for (const { callId } of invocations) dispatcher.settle(callId, { result: 'again' });
    }
    await settle();
    lane.playOut(speech);
  }
  await settle();
}

const answers = (staged: Staged) => staged.brain.says('Hello!');

describe('a call with three turns in a row that had no answer', () => {
  it.each<
    [string, readonly ((staged: Staged) => unknown)[], ((staged: Staged) => unknown) | undefined, string]
  >([
    ['the brain was not there', Array(3).fill(fails('unreachable')), undefined, 'brain_unavailable'],
    ['the brain was too slow', Array(3).fill(fails('timeout')), undefined, 'brain_unavailable'],
    ['the brain was overloaded', Array(3).fill(fails('overloaded')), undefined, 'brain_unavailable'],
    ['the brain sent garbage', Array(3).fill(fails('garbage')), undefined, 'brain_unavailable'],
    ['the tools led nowhere', Array(3).fill(loops), undefined, 'agent_stuck'],
    ['the brain said nothing, and is well', Array(3).fill(silent), answers, 'agent_stuck'],
    ['the brain says nothing to anybody', Array(3).fill(silent), silent, 'brain_unavailable'],
    ['the brain refused, and is well', Array(3).fill(fails('refused')), answers, 'agent_stuck'],
    ['the brain refuses everybody', Array(3).fill(fails('refused')), fails('refused'), 'brain_unavailable'],
    [
      'one of them for want of the brain',
      [silent, fails('unreachable'), loops],
      undefined,
      'brain_unavailable',
    ],
    ['some silent, some with tools', [silent, loops, silent], answers, 'agent_stuck'],
    [
      'another brain answers in its place',
      Array(3).fill(silent),
      (staged) =>
        staged.brain.next(async function* () {
          yield { kind: 'fallback', fault: 'unreachable' };
          yield { kind: 'text', text: 'Hello!' };
        }),
      'brain_unavailable',
    ],
  ])('because %s', async (_why, turns, trial, reason) => {
    const staged = stage();
    await threeTurns(staged, turns, trial);
    expect(staged.sent.at(-1)).toEqual({ ended: reason });
  });

  it('asks the brain for a sign of health without anything that is the client’s', async () => {
    const staged = stage({ persona: 'Answer with a dot.' });
    await threeTurns(staged, Array(3).fill(silent), answers);
    expect(staged.brain.requests.at(-1)?.request).toMatchObject({
      persona: '',
      tools: [],
      passages: [],
      messages: [{ role: 'user', content: 'Hello.' }],
    });
  });

  it('waits no longer for it than the farewell takes', async () => {
    const staged = stage();
    await threeTurns(staged, Array(3).fill(silent), ({ brain }) => brain.hangs());
    expect(staged.sent.some((one) => JSON.stringify(one).includes('ended'))).toBe(false);
    staged.clock.advance(3_500);
    await settle();
    expect(staged.sent.at(-1)).toEqual({ ended: 'brain_unavailable' });
  });

  it.each([
    ['an outage', fails('unreachable'), 'brain_unavailable'],
    ['tools that led nowhere', loops, 'agent_stuck'],
  ] as const)(
    'ends as it does after %s, though the client hangs up during the farewell',
    async (_why, turn, reason) => {
      const staged = stage();
      staged.lane.playOut = () => undefined;
      await threeTurns(staged, Array(3).fill(turn));
      expect(staged.lane.audible.at(-1)?.text).toMatch(/Goodbye/);
      staged.session.end('client_gone');
      await settle();
      expect(staged.sent.filter((one) => JSON.stringify(one).includes('ended'))).toEqual([{ ended: reason }]);
    },
  );
});
