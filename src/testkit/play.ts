/** Plays one scenario as a call. */
import { once } from 'node:events';
import {
  agentSilent,
  Caller,
  type Control,
  type LineQuality,
  OmniWire,
  overUlaw,
  pause,
  RATE,
  speechSpan,
  tone,
} from '../caller/index.ts';
import { unlessAborted } from './aborted.ts';
import type { Api } from './api.ts';
import type { Persona } from './persona.ts';
import type { PlayedCall, PlayedStep, ToolCalled } from './played.ts';
import { music, recording, stereoWav } from './sounds.ts';
import type { Mock, Scenario, Step, Suite } from './suite.ts';

export interface PlayOptions {
  readonly api: Api;
  readonly agentId: string;
  /** It begins with words of its own. */
  readonly greets: boolean;
  readonly voice: string;
  readonly folder: string;
  readonly persona: Persona | null;
  readonly keepsAudio: boolean;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

const AUDIBLE_DBFS = -45;
const ANSWER_MS = 10_000;
/** An agent without words of greeting may have none. */
const GREETING_MS = 1_500;
const QUIET_MS = 900;
const LONGEST_TURN_MS = 60_000;
const RECORD_MS = 250;

interface Begun {
  readonly step: Step;
  readonly what: string;
  /** On the clock of the process. */
  readonly at: number;
  /** Of the caller's last sound. */
  readonly end: number;
}

export async function play(suite: Suite, scenario: Scenario, options: PlayOptions): Promise<PlayedCall> {
  const { signal } = options;
  const call = await Playing.connect(suite, scenario, options);
  try {
    await unlessAborted(call.run(scenario.steps), signal);
  } finally {
    await call.end();
  }
  return await call.outcome();
}

class Playing {
  readonly #caller: Caller;
  readonly #suite: Suite;
  readonly #options: PlayOptions;
  readonly #begun: Begun[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();

  private constructor(caller: Caller, suite: Suite, options: PlayOptions) {
    this.#caller = caller;
    this.#suite = suite;
    this.#options = options;
    caller.on('control', (message: Control) => this.#mocked(message));
  }

  static async connect(suite: Suite, scenario: Scenario, options: PlayOptions): Promise<Playing> {
    const line = { ...suite.caller?.line, ...scenario.caller?.line };
    const quality: LineQuality = {
      ...(line.loss === undefined ? {} : { loss: line.loss }),
      ...(line.jitter_ms === undefined ? {} : { jitterMs: line.jitter_ms }),
      ...(line.noise_dbfs === undefined ? {} : { noiseDbfs: line.noise_dbfs }),
    };
    const { api, agentId } = options;
    const tools = Object.entries(suite.tools ?? {}).map(([name, mock]) => toolOf(name, mock));
    const configure = tools.length === 0 ? {} : { tools };
    const wire = new OmniWire({ url: api.url, key: api.key, agentId, configure });
    const calling = Caller.over(wire, quality);
    try {
      return new Playing(await unlessAborted(calling, options.signal), suite, options);
    } catch (error) {
      // It may be answered yet.
      calling.then((caller) => caller.hangUp()).catch(() => undefined);
      throw error;
    }
  }

  async run(steps: readonly Step[]): Promise<void> {
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
    // Nobody waits for what was ended in its midst.
    if (isAborted) gone.catch(() => undefined);
    else await gone;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async outcome(): Promise<PlayedCall> {
    const { controls, transcripts } = this.#caller;
    const told = (event: string) => controls.filter(({ message }) => message.event === event);
    const callId = (told('configured')[0]?.message.call_id as string | undefined) ?? null;
    const record = callId === null ? null : await this.#options.api.record(callId);
    const captured = told('captured').map(({ message }) => [String(message.slot), String(message.value)]);
    const ended = told('ended')[0]?.message.reason as string | undefined;
    // A turn belongs to the step in which its first words came, whenever the last of them do.
    const firstOf = new Map<string, number>();
    for (const { at, role, turn_id } of transcripts)
      if (!firstOf.has(role + turn_id)) firstOf.set(role + turn_id, at);
    const words = (role: string, from: number, to: number) =>
      transcripts
        .filter((one) => one.role === role && one.final)
        .filter((one) => between(firstOf.get(role + one.turn_id) as number, from, to))
        .map(({ text }) => text)
        .join(' ');
    const steps = this.#begun.map((begun, n): PlayedStep => {
      const to = this.#begun[n + 1]?.at ?? Infinity;
      const sound = this.#caller.ear.firstSound(begun.end, AUDIBLE_DBFS);
      return {
        what: begun.what,
        kind: Object.keys(begun.step)[0] as string,
        atMs: Math.round(begun.at - this.#caller.began),
        heard: words('user', begun.at, to),
        said: words('agent', begun.at, to),
        gapMs: sound === null || sound > to ? null : Math.round(sound - begun.end),
        interrupted: told('barge_in').some(({ at }) => between(at, begun.at, to)),
        tools: told('tool_call')
          .filter(({ at }) => between(at, begun.at, to))
          .map(calledOf),
        expect: 'expect' in begun.step ? begun.step.expect : undefined,
      };
    });
    return {
      callId,
      outcome: ended ?? record?.end_reason ?? null,
      record,
      steps,
      slots: Object.fromEntries(captured),
      tools: told('tool_call').map(calledOf),
      audio: this.#options.keepsAudio ? stereoWav(this.#caller.stereo()) : null,
    };
  }

  /** False: the call is over for the caller. */
  async #do(step: Step, talksOver: boolean): Promise<boolean> {
    if ('hang_up' in step) return false;
    if ('interrupt' in step || 'backchannel' in step) {
      const { after_ms, say, voice } = 'interrupt' in step ? step.interrupt : step.backchannel;
      await this.#pause(after_ms);
      const from = performance.now();
      await this.#speak(step, say, await this.#voiced(say, voice));
      if ('interrupt' in step) await this.#cut(from);
    } else if ('silence_ms' in step) {
      this.#note(step, `${step.silence_ms} ms of silence`, performance.now());
      await this.#pause(step.silence_ms);
      return true;
    } else if ('press' in step) {
      this.#caller.press(step.press);
      this.#note(step, `presses ${step.press}`, performance.now());
    } else if ('persona' in step) {
      await this.#asPersona(step);
      return true;
    } else await this.#speak(step, ...(await this.#sound(step)));
    if (talksOver) await this.#answered();
    else await this.#quiet(patienceWith(step));
    return true;
  }

  async #sound(
    step: Extract<Step, { say: string } | { audio: string } | { hold_ms: number } | { voicemail: object }>,
  ): Promise<[string, Int16Array]> {
    if ('say' in step) return [step.say, await this.#voiced(step.say, step.voice)];
    if ('audio' in step) return [step.audio, await recording(`${this.#options.folder}/${step.audio}`)];
    if ('hold_ms' in step) return ['music on hold', music(step.hold_ms)];
    const { greeting, beep_hertz = 1000 } = step.voicemail;
    const words = await this.#voiced(greeting);
    const beep = tone(0.4, beep_hertz);
    const gap = RATE / 2;
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
    // The step began with its sound, which has been spoken by now.
    this.#note(step, what, at + speechSpan(samples).endMs, at);
  }

  /** Or until the call is over. */
  async #pause(ms: number): Promise<void> {
    if (this.#caller.over) return;
    await once(this.#caller, 'over', { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
  }

  #note(step: Step, what: string, end: number, at = end): void {
    this.#begun.push({ step, what, at, end });
  }

  async #asPersona(step: Extract<Step, { persona: object }>): Promise<void> {
    const { persona } = this.#options;
    if (persona === null) throw new Error('a persona wants a model: --caller-url and --caller-model');
    const { turns } = step.persona;
    for (let turn = 0; turn < turns && !this.#caller.over; turn++) {
      const line = await persona.next(step.persona, this.#caller.transcripts);
      if (line === null) return;
      await this.#speak(step, line, await this.#voiced(line));
      await this.#quiet(ANSWER_MS);
    }
  }

  /** Until the agent is heard, or will not be. */
  async #answered(): Promise<boolean> {
    const until = performance.now() + ANSWER_MS;
    while (performance.now() < until && !this.#caller.over) {
      if (this.#caller.ear.playing) return true;
      await pause(10);
    }
    return false;
  }

  /** Until the agent has noticed that somebody speaks over it: what it still says is no answer. */
  async #cut(from: number): Promise<void> {
    const { ear, controls } = this.#caller;
    const noticed = () => controls.some(({ at, message }) => message.event === 'barge_in' && at >= from);
    const until = performance.now() + ANSWER_MS;
    while (performance.now() < until && ear.playing && !noticed() && !this.#caller.over) await pause(10);
  }

  /** Until the agent has said what it has to say; `within`: it may have nothing to say. */
  async #quiet(within: number): Promise<void> {
    const until = performance.now() + within;
    while (performance.now() < until && !this.#caller.ear.playing && !this.#caller.over) await pause(10);
    if (this.#caller.ear.playing) await agentSilent(this.#caller, QUIET_MS, LONGEST_TURN_MS);
  }

  #mocked(message: Control): void {
    if (message.event !== 'tool_call') return;
    const mock = this.#suite.tools?.[String(message.name)];
    if (mock === undefined) return;
    const answer = mock.error === undefined ? { result: mock.result ?? {} } : { error: mock.error };
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#answer(message.call_id, answer);
    }, mock.delay_ms ?? 0);
    this.#timers.add(timer);
  }

  /** What cannot be sent is an error of the tool, never of the process. */
  #answer(call_id: unknown, answer: { result: unknown } | { error: string }): void {
    try {
      this.#caller.control({ type: 'tool_result', call_id, ...answer });
    } catch (error) {
      this.#caller.control({ type: 'tool_result', call_id, error: (error as Error).message.slice(0, 200) });
    }
  }
}

const toolOf = (name: string, { description, parameters }: Mock) => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...(parameters === undefined ? {} : { parameters }),
});

/** What may be answered later than is usual is waited for as long. */
const patienceWith = (step: Step): number =>
  Math.max(ANSWER_MS, ('expect' in step ? step.expect?.within_ms : undefined) ?? 0);

const between = (at: number, from: number, to: number): boolean => at >= from && at < to;

const calledOf = ({ message }: { message: Control }): ToolCalled => ({
  name: String(message.name),
  arguments: message.arguments as Record<string, unknown>,
});
