import { once } from 'node:events';
import {
  agentSilent,
  LINE_RATE,
  OmniTransport,
  overUlaw,
  pause,
  SimulatedCaller,
  sineTone,
  speechSpan,
  type UplinkQuality,
} from '../caller/index.ts';
import { type CallReport, reportFromSession } from './call-report.ts';
import { MockedTools, toolOf } from './mocked-tools.ts';
import type { Persona } from './persona.ts';
import type { PhoneLine } from './phone-line.ts';
import type { PlayedCall, PlayedStep } from './played.ts';
import type { ServerApi } from './server-api.ts';
import { holdMusic, stereoWav } from './sounds.ts';
import type { Expectation, Scenario, Step, Suite } from './suite.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface PlayOptions {
  readonly api: ServerApi;
  readonly agentId: string;
  readonly greets: boolean;
  readonly voice: string;
  readonly sounds: (name: string) => Promise<Int16Array>;
  readonly persona: Persona | null;
  readonly keepsAudio: boolean;
  readonly phone: PhoneLine | null;
  readonly signal?: AbortSignal | undefined;
}

const AUDIBLE_DBFS = -45;
const ANSWER_MS = 10_000;
/** An agent without a greeting may stay silent. */
const GREETING_MS = 1_500;
const QUIET_MS = 900;
const LONGEST_TURN_MS = 60_000;
const RECORD_MS = 250;

interface StartedStep {
  readonly kind: string;
  readonly what: string;
  readonly expect: Expectation | undefined;
  readonly at: number;
  readonly end: number;
}

export async function playScenario(
  suite: Suite,
  scenario: Scenario,
  options: PlayOptions,
): Promise<PlayedCall> {
  const { signal } = options;
  const call = await ScenarioPlayer.connect(suite, scenario, options);
  try {
    await unlessAborted(call.run(scenario.steps), signal);
  } finally {
    await call.end();
  }
  return await call.outcome();
}

class ScenarioPlayer {
  readonly #caller: SimulatedCaller;
  readonly #options: PlayOptions;
  readonly #begun: StartedStep[] = [];
  readonly #tools: MockedTools;

  private constructor(caller: SimulatedCaller, suite: Suite, options: PlayOptions) {
    this.#caller = caller;
    this.#options = options;
    this.#tools = new MockedTools(caller, suite.tools ?? {});
  }

  static async connect(suite: Suite, scenario: Scenario, options: PlayOptions): Promise<ScenarioPlayer> {
    const line = { ...suite.caller?.line, ...scenario.caller?.line };
    const quality: UplinkQuality = {
      ...(line.loss === undefined ? {} : { loss: line.loss }),
      ...(line.jitter_ms === undefined ? {} : { jitterMs: line.jitter_ms }),
      ...(line.noise_dbfs === undefined ? {} : { noiseDbfs: line.noise_dbfs }),
    };
    const wire = options.phone?.wire() ?? sessionOf(suite, options);
    const calling = SimulatedCaller.over(wire, quality);
    try {
      return new ScenarioPlayer(await unlessAborted(calling, options.signal), suite, options);
    } catch (error) {
      // The call may still be answered, so it is hung up then.
      calling.then((caller) => caller.hangUp()).catch(() => undefined);
      throw error;
    }
  }

  async run(steps: readonly Step[]): Promise<void> {
    const [first] = steps;
    if (first !== undefined && !('replay' in first))
      await this.#quiet(this.#options.greets ? ANSWER_MS : GREETING_MS);
    for (const [at, step] of steps.entries()) {
      if (this.#caller.over) return;
      const next = steps[at + 1];
      const talksOver = next !== undefined && ('interrupt' in next || 'backchannel' in next);
      if (!(await this.#do(step, talksOver))) return;
    }
  }

  async end(): Promise<void> {
    const isAborted = this.#options.signal?.aborted === true;
    if (!isAborted) await pause(RECORD_MS);
    const gone = this.#caller.hangUp();
    if (isAborted) gone.catch(() => undefined);
    else await gone;
    this.#tools.stop();
  }

  async outcome(): Promise<PlayedCall> {
    const { api, phone } = this.#options;
    const caller = this.#caller;
    const account = await (phone === null ? reportFromSession(caller, api) : phone.account(caller));
    const { callId, outcome, record, slots } = account;
    const steps = this.#begun.map((begun, n) =>
      this.#played(begun, this.#begun[n + 1]?.at ?? Infinity, account),
    );
    const tools = account.tools.map(({ name, arguments: args }) => ({ name, arguments: args }));
    const audio = this.#options.keepsAudio ? stereoWav(caller.stereo()) : null;
    return { callId, outcome, record, steps, slots, tools, audio };
  }

  #played(
    { kind, what, at, end, expect }: StartedStep,
    to: number,
    { words, tools }: CallReport,
  ): PlayedStep {
    const here = (one: { readonly at: number }) => between(one.at, at, to);
    const said = (role: string) =>
      words
        .filter((one) => one.role === role && here(one))
        .map(({ text }) => text)
        .join(' ');
    const sound = this.#caller.playout.firstSound(end, AUDIBLE_DBFS);
    return {
      what,
      kind,
      atMs: Math.round(at - this.#caller.began),
      heard: said('user'),
      said: said('agent'),
      gapMs: sound === null || sound > to ? null : Math.round(sound - end),
      interrupted: this.#caller.controls.some((one) => one.message.event === 'barge_in' && here(one)),
      tools: tools.filter(here).map(({ name, arguments: args }) => ({ name, arguments: args })),
      expect,
    };
  }

  async #do(step: Step, talksOver: boolean): Promise<boolean> {
    if ('hang_up' in step) return false;
    if ('interrupt' in step || 'backchannel' in step) {
      const { after_ms, say, voice, audio } = 'interrupt' in step ? step.interrupt : step.backchannel;
      await this.#pause(after_ms);
      const from = performance.now();
      const sound = audio === undefined ? this.#voiced(say, voice) : this.#options.sounds(audio);
      await this.#speak(step, say, await sound);
      if ('interrupt' in step) await this.#cut(from);
    } else if ('silence_ms' in step) {
      this.#note(step, `${step.silence_ms} ms of silence`, performance.now());
      await this.#pause(step.silence_ms);
      return true;
    } else if ('press' in step) {
      this.#caller.press(step.press);
      this.#note(step, `presses ${step.press}`, performance.now());
    } else if ('replay' in step) {
      await this.#replay(step.replay);
    } else if ('persona' in step) {
      await this.#asPersona(step);
      return true;
    } else await this.#speak(step, ...(await this.#sound(step)));
    if (talksOver) await this.#answered();
    else await this.#quiet(answerTimeout(step));
    return true;
  }

  async #sound(
    step: Extract<Step, { say: string } | { audio: string } | { hold_ms: number } | { voicemail: object }>,
  ): Promise<[string, Int16Array]> {
    if ('say' in step) return [step.say, await this.#voiced(step.say, step.voice)];
    if ('audio' in step) return [step.words ?? step.audio, await this.#options.sounds(step.audio)];
    if ('hold_ms' in step) return ['music on hold', holdMusic(step.hold_ms)];
    const { greeting, beep_hertz = 1000 } = step.voicemail;
    const words = await this.#voiced(greeting);
    const beep = sineTone(0.4, beep_hertz);
    const gap = LINE_RATE / 2;
    const whole = new Int16Array(words.length + gap + beep.length);
    whole.set(words);
    whole.set(beep, words.length + gap);
    return [greeting, whole];
  }

  async #voiced(text: string, voice = this.#options.voice): Promise<Int16Array> {
    return overUlaw(await this.#options.api.speech(text, voice));
  }

  async #speak(step: Step, what: string, samples: Int16Array): Promise<void> {
    const at = await this.#caller.say(samples);
    this.#note(step, what, at + speechSpan(samples).endMs, at);
  }

  async #pause(ms: number): Promise<void> {
    if (this.#caller.over) return;
    await once(this.#caller, 'over', { signal: AbortSignal.timeout(Math.max(0, Math.ceil(ms))) }).catch(
      () => undefined,
    );
  }

  #note(step: Step, what: string, end: number, at = end): void {
    const kind = Object.keys(step)[0] as string;
    this.#begun.push({ kind, what, at, end, expect: 'expect' in step ? step.expect : undefined });
  }

  async #replay({ audio, begins_ms, turns }: Extract<Step, { replay: object }>['replay']): Promise<void> {
    const recorded = await this.#options.sounds(audio);
    const before = Math.round((begins_ms * LINE_RATE) / 1000);
    const whole = new Int16Array(before + recorded.length);
    whole.set(recorded, before);
    const began = await this.#caller.say(whole);
    for (const { words, at_ms, end_ms, expect } of turns)
      this.#begun.push({ kind: 'replay', what: words, at: began + at_ms, end: began + end_ms, expect });
    await this.#pause(began + (whole.length * 1000) / LINE_RATE - performance.now());
  }

  async #asPersona(step: Extract<Step, { persona: object }>): Promise<void> {
    const { persona } = this.#options;
    if (persona === null) throw new Error('a persona needs a model: give --caller-url and --caller-model');
    const { turns } = step.persona;
    for (let turn = 0; turn < turns && !this.#caller.over; turn++) {
      const line = await persona.next(step.persona, this.#caller.transcripts);
      if (line === null) return;
      await this.#speak(step, line, await this.#voiced(line));
      await this.#quiet(ANSWER_MS);
    }
  }

  async #answered(): Promise<boolean> {
    const until = performance.now() + ANSWER_MS;
    while (performance.now() < until && !this.#caller.over) {
      if (this.#caller.playout.playing) return true;
      await pause(10);
    }
    return false;
  }

  /** Waits until the agent has noticed the interruption, because the rest of its utterance is no answer. */
  async #cut(from: number): Promise<void> {
    const { playout, controls } = this.#caller;
    const noticed = () => controls.some(({ at, message }) => message.event === 'barge_in' && at >= from);
    const until = performance.now() + ANSWER_MS;
    while (performance.now() < until && playout.playing && !noticed() && !this.#caller.over) await pause(10);
  }

  /** Waits until the agent has finished. It may stay silent for `within`. */
  async #quiet(within: number): Promise<void> {
    const until = performance.now() + within;
    while (performance.now() < until && !this.#caller.playout.playing && !this.#caller.over) await pause(10);
    if (this.#caller.playout.playing) await agentSilent(this.#caller, QUIET_MS, LONGEST_TURN_MS);
  }
}

/** A step that permits a late answer extends the timeout. */
const answerTimeout = (step: Step): number =>
  Math.max(ANSWER_MS, ('expect' in step ? step.expect?.within_ms : undefined) ?? 0);

const between = (at: number, from: number, to: number): boolean => at >= from && at < to;

function sessionOf(suite: Suite, { api, agentId }: PlayOptions): OmniTransport {
  const tools = Object.entries(suite.tools ?? {}).map(([name, mock]) => toolOf(name, mock));
  const configure = tools.length === 0 ? {} : { tools };
  return new OmniTransport({ url: api.url, key: api.key, agentId, configure });
}
