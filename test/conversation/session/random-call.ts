import { expect } from 'vitest';
import type { InputRecorder } from '../../../src/conversation/replay/index.ts';
import type { Interlude, InterludeStep, SessionTool } from '../../../src/conversation/session/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { fc } from '../../property-tests.ts';
import { type BrainStep, RandomBrain } from './random-brain.ts';
import { stageOf, utterance } from './stage.ts';
import { TICK_MS, TimedLane } from './timed-lane.ts';

/** The idle prompt comes after 20 s; a voice that stays silent ends the call 20 s after the last round of tools. */
const MOST_SILENCE_MS = 75_000;
const MOST_TAIL_MS = 15 * 60_000;

type Step = Exclude<InterludeStep['kind'], 'done' | 'leave'>;

interface Script {
  readonly steps: readonly Step[];
  readonly last: 'done' | 'reported' | 'leave' | 'hand_over';
}

type Action =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'speech_start' | 'partial' | 'eager_end' | 'continued' | 'barge_in' }
  | { readonly kind: 'utterance'; readonly as: 'final' | 'backchannel' | 'lost'; readonly text: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'say'; readonly text: string; readonly interrupt: boolean }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'tool'; readonly at: number; readonly error: boolean }
  | { readonly kind: 'interlude'; readonly script: Script; readonly host: boolean }
  | {
      readonly kind: 'end';
      readonly reason: 'client_gone' | 'client_ended' | 'engine_failed' | 'cap_reached';
    }
  | {
      readonly kind:
        | 'interrupt'
        | 'respond'
        | 'context'
        | 'language'
        | 'farewell'
        | 'checkpoint'
        | 'wake'
        | 'mute'
        | 'take_over'
        | 'speech_failed'
        | 'voice_fallback';
    };

const words = fc.constantFrom(
  'Yes.',
  'When do you open?',
  'I would like to book a table for two, please.',
  '',
);
const agentWords = fc.constantFrom(
  'Yes.',
  'We open at nine. ',
  'Would you like to book a table for two, or for more of you?',
  'One moment. I am looking. It is a long list, and the end of it is far away from here. Shall I go on?',
  '—',
);
const script: fc.Arbitrary<Script> = fc.record({
  steps: fc.array(fc.constantFrom<Step>('ask', 'wait', 'work', 'say', 'answer', 'listen', 'continue'), {
    maxLength: 6,
  }),
  last: fc.constantFrom('done', 'reported', 'leave', 'hand_over'),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(50, 150, 400, 1_300, 5_000) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('speech_start', 'partial', 'eager_end', 'continued', 'barge_in'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('utterance'),
      as: fc.constantFrom('final', 'final', 'backchannel', 'lost'),
      text: words,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('key'), key: fc.constantFrom('1', '23', '#') }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('say'), text: agentWords, interrupt: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('typed'), text: words }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('tool'), at: fc.nat({ max: 3 }), error: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('interlude'), script, host: fc.constant(false) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('end'),
      reason: fc.constantFrom('client_gone', 'client_ended', 'engine_failed', 'cap_reached'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'interrupt',
        'respond',
        'context',
        'language',
        'farewell',
        'checkpoint',
        'wake',
        'mute',
        'take_over',
        'speech_failed',
        'voice_fallback',
      ),
    }),
  },
) as fc.Arbitrary<Action>;

const fault = fc.constantFrom('unreachable', 'timeout', 'overloaded', 'refused', 'garbage');
const brainStep: fc.Arbitrary<BrainStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('text'), text: agentWords }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause'), ms: fc.constantFrom(200, 1_500, 6_000) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('call'),
      name: fc.constantFrom('book', 'look_up', 'ask', 'leave', 'person', 'none'),
      args: fc.constantFrom('{}', '{"a":1}', 'nothing'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('error'), fault }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fallback'), fault }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('fallback'), fault, dropped: fc.nat({ max: 300 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<BrainStep>(
      { kind: 'hang' },
      { kind: 'thinking' },
      { kind: 'memory', memory: 1 },
      { kind: 'usage', promptTokens: 1, cachedTokens: 0, completionTokens: 1 },
      { kind: 'action', action: 'end_call' },
      { kind: 'action', action: 'hand_over' },
    ),
  },
) as fc.Arbitrary<BrainStep>;

export const randomCall = fc.record({
  actions: fc.array(action, { maxLength: 40 }),
  scripts: fc.array(fc.array(brainStep, { maxLength: 4 }), { maxLength: 8 }),
  last: fc.constantFrom<BrainStep[]>(
    [{ kind: 'text', text: 'All right.' }],
    [{ kind: 'error', fault: 'unreachable' }],
    [{ kind: 'hang' }],
    [],
  ),
  asks: script,
  host: fc.option(script),
  greeting: fc.constantFrom('', 'Hello, how can I help you?'),
  consentLine: fc.constantFrom('', 'This call is recorded.'),
});
export type Call = typeof randomCall extends fc.Arbitrary<infer T> ? T : never;

const quiet: Call = {
  actions: [],
  scripts: [],
  last: [{ kind: 'text', text: 'All right.' }],
  asks: { steps: [], last: 'done' },
  host: null,
  greeting: '',
  consentLine: '',
};
const final: Action = { kind: 'utterance', as: 'final', text: 'Yes.' };
/** Random calls that once broke a promise; every run begins with them. */
export const counterexamples: [Call][] = [
  // The voice fails, and the only words are the farewell of a tool that ends the call.
  {
    ...quiet,
    actions: [{ kind: 'mute' } as const],
    scripts: [[{ kind: 'call', name: 'leave', args: '{}' } as const]],
    host: { steps: [], last: 'reported' } as const,
  },
  // The voice fails between two segments of an answer whose text is complete.
  {
    ...quiet,
    actions: [final, { kind: 'mute' } as const],
    scripts: [
      [
        { kind: 'text', text: 'We open at nine. ' } as const,
        { kind: 'pause', ms: 200 } as const,
        { kind: 'text', text: 'Yes.' } as const,
      ],
    ],
  },
  // The client stops an apology that belongs to an interlude, and nobody says anything after it.
  {
    ...quiet,
    actions: [final, { kind: 'pass', ms: 1_300 } as const, { kind: 'interrupt' } as const],
    scripts: [[]],
    host: { steps: ['ask', 'answer'], last: 'done' } as const,
  },
  // An interlude takes the caller's silence twice without a word, and the voice fails then.
  {
    ...quiet,
    actions: [
      { kind: 'key', key: '1' } as const,
      { kind: 'pass', ms: 1_300 } as const,
      { kind: 'pass', ms: 400 } as const,
      { kind: 'mute' } as const,
    ],
    host: { steps: ['ask', 'ask', 'continue', 'listen'], last: 'done' } as const,
  },
  // The caller hangs up while one tool runs and another has ended the call: its farewell is not said any more.
  {
    ...quiet,
    actions: [final, { kind: 'end', reason: 'client_gone' } as const],
    scripts: [
      [
        { kind: 'call', name: 'book', args: '{}' } as const,
        { kind: 'call', name: 'leave', args: '{}' } as const,
      ],
    ],
  },
  // The client stops the farewell while the caller speaks: the end of these words is a time of the clock.
  {
    ...quiet,
    actions: (['speech_start', 'partial', 'farewell', 'interrupt'] as const).map((kind) => ({ kind })),
  },
].map((call) => [call]);

function interludeOf(clock: ManualClock, { steps, last }: Script): Interlude {
  let at = 0;
  const next = (): InterludeStep => {
    const kind = steps[at++];
    switch (kind) {
      case undefined:
        if (last === 'leave') return { kind: 'leave', say: 'Goodbye.', as: 'agent_ended' };
        if (last === 'hand_over') return { kind: 'leave', say: null, as: 'hand_over' };
        return { kind: 'done', message: last === 'reported' ? 'It is done.' : null };
      case 'work': {
        const done = new Promise<InterludeStep>((resolve) => clock.after(1_000, () => resolve(next())));
        return { kind, say: at % 2 === 0 ? 'One moment.' : null, done };
      }
      case 'continue':
        return { kind, step: next };
      case 'answer': {
        const none = { tools: [], own: [], query: null, messages: 6 };
        return { kind, terms: { persona: 'p', ...none, refusal: () => null } };
      }
      case 'ask':
      case 'say':
        return { kind, say: `What is your ${at}?` };
      default:
        return { kind };
    }
  };
  return { begin: next, take: next, spoken: next, answered: next, woken: next };
}

const tool = (name: string, extra: Partial<SessionTool> = {}): SessionTool => ({
  name,
  description: name,
  parameters: { type: 'object' },
  timeoutMs: 4_000,
  filler: null,
  ...extra,
});

export class RandomCall {
  readonly clock = new ManualClock();
  readonly lane = new TimedLane(this.clock);
  readonly stage;
  readonly actions: readonly Action[];
  #activeMs = 0;
  #speechAtMs = 0;
  #utterances = 0;
  /** A supervisor has the call, and speaks in place of the agent. */
  #isTakenOver = false;
  readonly #settled = new Set<string>();

  constructor(call: Call, recorder?: (clock: ManualClock) => InputRecorder) {
    const { clock, lane } = this;
    const { actions, scripts, last, asks, host, greeting, consentLine } = call;
    this.actions = actions;
    const brain = new RandomBrain(clock, scripts, last);
    const hosts = host === null ? {} : { host: interludeOf(clock, host) };
    this.stage = stageOf(
      { lane, brain, clock, recorder: recorder?.(clock) },
      { greeting, consentLine },
      [],
      hosts,
    );
    this.stage.dispatcher.replace([
      tool('book', { filler: 'Let me look.' }),
      tool('look_up', {
        run: (_invocation, signal) =>
          new Promise((resolve) => {
            const stop = clock.after(2_000, () => resolve({ result: 'ok' }));
            signal.addEventListener('abort', stop, { once: true });
          }),
      }),
      tool('ask', { act: () => ({ kind: 'interlude', interlude: interludeOf(clock, asks) }) }),
      tool('leave', { act: () => ({ kind: 'end_call' }) }),
      tool('person', { act: () => ({ kind: 'hand_over' }) }),
    ]);
  }

  get ends(): number {
    return this.stage.sent.filter((one) => 'ended' in (one as object)).length;
  }

  /** Plays the actions, and then waits without another one until the call ends. */
  async play(): Promise<void> {
    this.stage.session.start();
    await this.act();
    if (this.#isTakenOver) this.do({ kind: 'take_over' });
    if (this.lane.callerSpeaks) this.do({ kind: 'utterance', as: 'final', text: 'Yes.' });
    for (let left = MOST_TAIL_MS; this.ends === 0 && left > 0; left -= TICK_MS) await this.pass(TICK_MS);
  }

  async act(): Promise<void> {
    for (const action of this.actions) {
      this.do(action);
      await this.pass(action.kind === 'pass' ? action.ms : TICK_MS);
    }
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= TICK_MS) {
      this.clock.advance(TICK_MS);
      this.lane.tick();
      await new Promise<void>((resolve) => setImmediate(resolve));
      this.#watch();
    }
  }

  #watch(): void {
    const { lane } = this;
    // An interlude that waits on the line, for one, says nothing on purpose.
    if (lane.callerSpeaks || this.#isTakenOver || this.stage.session.input.isWaitingOnLine)
      this.#activeMs = lane.atMs;
    const silentMs = lane.atMs - Math.max(lane.lastSoundMs, this.#activeMs);
    if (this.ends === 0 && silentMs > MOST_SILENCE_MS)
      lane.faults.push(`silent since ${lane.atMs - silentMs}`);
    expect(lane.faults.join('; ')).toBe('');
  }

  do(action: Action): void {
    const { session, dispatcher, invocations } = this.stage;
    const { lane } = this;
    this.#activeMs = lane.atMs;
    const now = { utterance: this.#utterances, startMs: this.#speechAtMs, endMs: lane.atMs, atMs: lane.atMs };
    switch (action.kind) {
      case 'speech_start':
        this.#startSpeech();
        return;
      case 'partial':
        if (lane.callerSpeaks) session.take({ kind: 'partial', utterance: now.utterance, text: 'When' });
        return;
      case 'eager_end':
        if (lane.callerSpeaks) session.take({ kind: 'eager_end', ...utterance('When do you open?', now) });
        return;
      case 'continued':
        if (lane.callerSpeaks) session.take({ kind: 'continued', utterance: now.utterance });
        return;
      case 'barge_in':
        lane.bargeIn();
        return;
      case 'utterance':
        this.#startSpeech();
        this.#endSpeech(action.as, action.text);
        return;
      case 'key':
        session.dtmf(action.key, lane.atMs);
        return;
      case 'say':
        session.say(action.text, { interrupt: action.interrupt });
        return;
      case 'typed':
        session.input.typedTurn(action.text, lane.atMs);
        return;
      case 'tool': {
        const asked = invocations.filter(({ callId }) => !this.#settled.has(callId))[action.at];
        if (asked === undefined) return;
        this.#settled.add(asked.callId);
        dispatcher.settle(asked.callId, action.error ? { error: 'no' } : { result: 1 });
        return;
      }
      case 'interlude':
        session.input.beginInterlude(interludeOf(this.clock, action.script));
        return;
      case 'end':
        session.end(action.reason);
        return;
      case 'interrupt':
        session.interrupt();
        return;
      case 'respond':
        session.input.respond('Say hello.');
        return;
      case 'context':
        session.input.injectContext('It rains.');
        return;
      case 'language':
        session.reconfigure({ language: 'de' }, null);
        return;
      case 'farewell':
        session.input.endWithFarewell('max_duration');
        return;
      case 'checkpoint':
        expect(JSON.parse(JSON.stringify(session.checkpoint))).toBeDefined();
        return;
      case 'wake':
        session.input.wake();
        return;
      case 'mute':
        lane.isMute = !lane.isMute;
        return;
      case 'take_over':
        this.#isTakenOver = !this.#isTakenOver;
        session.mute(this.#isTakenOver);
        return;
      case 'speech_failed':
        session.take({ kind: 'speech_failed', speech: lane.playing ?? 0, message: 'random' });
        return;
      case 'voice_fallback':
        session.take({ kind: 'voice_fallback', speech: lane.playing ?? 0, fault: 'timeout' });
    }
  }

  #startSpeech(): void {
    if (this.lane.callerSpeaks) return;
    this.lane.callerSpeaks = true;
    this.#utterances++;
    this.#speechAtMs = this.lane.atMs;
    this.stage.session.take({ kind: 'speech_start', atMs: this.lane.atMs });
  }

  #endSpeech(as: 'final' | 'backchannel' | 'lost', text: string): void {
    const { lane, stage } = this;
    lane.callerSpeaks = false;
    const said = {
      utterance: this.#utterances,
      startMs: this.#speechAtMs,
      endMs: lane.atMs,
      atMs: lane.atMs,
    };
    if (as === 'lost') stage.session.take({ kind: as, utterance: said.utterance, message: 'random' });
    else stage.session.take({ kind: as, ...utterance(text, said) });
  }

  expectConsistentRecord(): void {
    const { transcript } = this.stage.session.conversation;
    const said = [...this.lane.texts.values()].map((texts) => texts.join(' '));
    for (const role of ['agent', 'user'] as const) {
      const own = transcript.filter((entry) => entry.role === role);
      for (const [at, { startMs, endMs, text, turnId }] of own.entries()) {
        const before = own[at - 1];
        expect(endMs).toBeGreaterThanOrEqual(startMs);
        // Keys and words of the caller may overlap, and are in the order of their turns.
        if (role === 'user') continue;
        expect(startMs).toBeGreaterThanOrEqual(before?.startMs ?? 0);
        expect(said.some((whole) => whole.startsWith(text))).toBe(true);
        expect(turnId).toBeGreaterThan(before?.turnId ?? -1);
        expect(startMs).toBeGreaterThanOrEqual((before?.endMs ?? 0) - TICK_MS);
      }
    }
    const published = this.stage.sent.flatMap((one) => {
      const { transcript: entry } = one as {
        transcript?: { role: string; turnId: number; text: string; final: boolean };
      };
      return entry?.final === true ? [{ role: entry.role, turnId: entry.turnId, text: entry.text }] : [];
    });
    for (const entry of published) expect(transcript).toContainEqual(expect.objectContaining(entry));
    for (const { turnId, text } of transcript.filter(({ role }) => role === 'user'))
      expect(published.filter((entry) => entry.turnId === turnId && entry.text === text)).toHaveLength(
        transcript.filter((entry) => entry.turnId === turnId && entry.text === text).length,
      );
  }
}
