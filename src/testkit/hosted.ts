/** Suites that a server plays for who asks it: few at a time, small ones, and nothing that reaches into the server. */
import { randomUUID } from 'node:crypto';
import { Api } from './api.ts';
import { faultsOf } from './report.ts';
import { type RunOptions, runSuites, type ScenarioResult } from './run.ts';
import { readSuite, type Suite, SuiteError } from './suite.ts';

export interface HostedOrder {
  /** Who alone may look at it. */
  readonly owner: string;
  readonly key: string;
  /** The suite's YAML. */
  readonly suite: string;
  /** In the place of the suite's own; with `@` and a version of it. */
  readonly agentId?: string;
  readonly only?: string;
}

/** Nothing more is played now. */
export class BusyError extends Error {}

export const HOSTED_LIMITS = {
  characters: 64_000,
  scenarios: 5,
  steps: 12,
  /** Of each scenario: it is played so often. */
  repeat: 3,
  /** Of silence and of music on hold, in all. */
  waitMs: 60_000,
  runs: 2,
} as const;
/** Runs that are over are kept, the newest of each owner. */
const KEPT = 20;

type State =
  | { readonly kind: 'playing' }
  | { readonly kind: 'over' }
  | { readonly kind: 'failed'; readonly error: string };

interface Run {
  readonly id: string;
  readonly owner: string;
  readonly suite: string;
  readonly results: ScenarioResult[];
  readonly ended: Promise<void>;
  state: State;
}

export class HostedRuns {
  readonly #url: () => string;
  readonly #runs = new Map<string, Run>();

  /** `url`: where the server reaches itself. */
  constructor(url: () => string) {
    this.#url = url;
  }

  /** Throws SuiteError where the suite is none that a server plays, and BusyError where enough are played. */
  start({ owner, key, suite: yaml, agentId, only }: HostedOrder): string {
    if (yaml.length > HOSTED_LIMITS.characters)
      throw new SuiteError(`a suite has ${HOSTED_LIMITS.characters} characters at most`);
    const suite = readSuite(yaml, 'suite');
    checkHosted(suite);
    this.#makeRoom(owner);
    const settle = (state: State): void => {
      run.state = state;
    };
    const options: RunOptions = {
      api: new Api(this.#url(), key),
      likeness: null,
      persona: null,
      ...(agentId === undefined ? {} : { agentId }),
      ...(only === undefined ? {} : { only }),
      told: (result) => run.results.push(result),
    };
    const ended = runSuites([{ suite, file: 'suite', folder: '', brain: null }], options).then(
      () => settle({ kind: 'over' }),
      (error: Error) => settle({ kind: 'failed', error: error.message }),
    );
    const id = `run_${randomUUID().replaceAll('-', '')}`;
    const run: Run = { id, owner, suite: suite.name, results: [], ended, state: { kind: 'playing' } };
    this.#runs.set(id, run);
    return id;
  }

  /** What came of a run so far, once it is over or after `ms`; null: the owner has no such run. */
  async look(owner: string, id: string, ms: number) {
    const run = this.#runs.get(id);
    if (run === undefined || run.owner !== owner) return null;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([run.ended, patience]);
    clearTimeout(timer);
    return shown(run);
  }

  #makeRoom(owner: string): void {
    const playing = [...this.#runs.values()].filter(({ state }) => state.kind === 'playing');
    if (playing.some((run) => run.owner === owner)) throw new BusyError('a suite of yours is being played');
    if (playing.length >= HOSTED_LIMITS.runs) throw new BusyError('other suites are being played');
    const own = [...this.#runs.values()].filter((run) => run.owner === owner);
    for (const { id } of own.slice(0, Math.max(0, own.length - KEPT + 1))) this.#runs.delete(id);
  }
}

const shown = ({ id, suite, state, results }: Run) => ({
  run_id: id,
  suite,
  status: state.kind,
  ...(state.kind === 'failed' ? { error: state.error } : {}),
  passed: state.kind === 'over' && results.length > 0 && results.every(({ passed }) => passed),
  scenarios: results.map(({ name, passed, trials }) => ({
    name,
    passed,
    faults: [...new Set(trials.flatMap(faultsOf))],
    calls: trials.flatMap(({ call }) => call?.callId ?? []),
    steps: (trials[0]?.call?.steps ?? []).map(({ what, heard, said, gapMs, tools }) => ({
      caller: what,
      heard,
      agent: said,
      gap_ms: gapMs === null ? null : Math.round(gapMs),
      tools,
    })),
  })),
});

/** Throws SuiteError for what a server does not play. */
function checkHosted(suite: Suite): void {
  const { scenarios, steps, repeat, waitMs } = HOSTED_LIMITS;
  if (suite.model !== undefined) throw new SuiteError('model: the server’s own model answers');
  if (suite.scenarios.length > scenarios)
    throw new SuiteError(`a server plays ${scenarios} scenarios at most`);
  if ((suite.repeat ?? 1) > repeat) throw new SuiteError(`repeat is ${repeat} at most`);
  let wait = 0;
  for (const scenario of suite.scenarios) {
    if (scenario.steps.length > steps) throw new SuiteError(`${scenario.name}: ${steps} steps at most`);
    for (const step of scenario.steps) {
      if ('audio' in step) throw new SuiteError(`${scenario.name}: a server has no audio files of yours`);
      if ('persona' in step) throw new SuiteError(`${scenario.name}: a server plays no personas`);
      if ('silence_ms' in step) wait += step.silence_ms;
      if ('hold_ms' in step) wait += step.hold_ms;
      // Whoever writes the pattern could take the server's time with it.
      if ('expect' in step && step.expect?.matches !== undefined)
        throw new SuiteError(`${scenario.name}: matches is played by npx trunkline test alone; use says`);
      if ('expect' in step && step.expect?.meaning !== undefined)
        throw new SuiteError(`${scenario.name}: meaning is judged by npx trunkline test alone; use says`);
    }
  }
  if (wait > waitMs) throw new SuiteError(`silence and hold are ${waitMs / 1000} s at most, in all`);
}
