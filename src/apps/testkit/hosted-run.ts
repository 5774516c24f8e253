import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { HostedOrder } from './hosted.ts';
import { longestRun } from './hosted-suite.ts';
import { faultsOf } from './report.ts';
import { runSuites, type ScenarioResult } from './run-suites.ts';
import { type CallRecord, ServerApi } from './server-api.ts';
import type { Suite } from './suite.ts';
import type { TextSimilarity } from './text-similarity.ts';
import { turnDifferences, turnsOf } from './turns.ts';

type State =
  | { readonly kind: 'playing' }
  | { readonly kind: 'over' }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'failed'; readonly error: string };

/** The deadline for hanging up the calls of a stopped run. */
const ENDING_MS = 10_000;

export interface HostedSuite {
  readonly suite: Suite;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly before: CallRecord | null;
}

class RunCanceled extends Error {}

export class HostedRun {
  readonly id = `run_${randomUUID().replaceAll('-', '')}`;
  readonly owner: string;
  readonly #order: HostedOrder;
  readonly #stopping = new AbortController();
  readonly #scenarios: HostedResult[] = [];
  #suite = '';
  /** The differences since the replayed call; null without a replay, or when it did not reach the end. */
  #changed: readonly string[] | null = null;
  #state: State = { kind: 'playing' };
  #ended: Promise<void> = Promise.resolve();

  constructor(order: HostedOrder) {
    this.owner = order.owner;
    this.#order = order;
    // Each request for the run adds a listener.
    setMaxListeners(0, this.#stopping.signal);
  }

  get isPlaying(): boolean {
    return this.#state.kind === 'playing';
  }

  /** `url` is the server that runs the suite. A revoked or expired key ends the run. */
  play(wanted: HostedSuite, url: string, similarity: TextSimilarity | null): Promise<void> {
    const { suite } = wanted;
    this.#suite = suite.name;
    const ms = longestRun(suite);
    const timer = setTimeout(
      () => this.#stop(new Error(`the run took more than ${ms / 60_000} minutes`)),
      ms,
    );
    const unwatch = this.#order.watch(() =>
      this.#stop(new Error('the API key of the run was revoked or has expired')),
    );
    this.#ended = Promise.race([this.#played(wanted, url, similarity), this.#givenUp()])
      .then(
        () => ({ kind: 'over' }) as const,
        (error: Error) => stateAfter(error),
      )
      .then((state) => {
        clearTimeout(timer);
        unwatch();
        this.#state = state;
      });
    return this.#ended;
  }

  async cancel(why?: string): Promise<void> {
    this.#stop(why === undefined ? new RunCanceled() : new Error(why));
    await this.#ended;
  }

  async shown(ms: number) {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#ended, deadline]);
    clearTimeout(timer);
    return this.#publish();
  }

  #publish() {
    const { kind } = this.#state;
    const scenarios = this.#scenarios;
    return {
      run_id: this.id,
      suite: this.#suite,
      status: kind,
      ...(this.#state.kind === 'failed' ? { error: this.#state.error } : {}),
      passed: kind === 'over' && scenarios.length > 0 && scenarios.every(({ passed }) => passed),
      scenarios,
      ...(this.#changed === null ? {} : { changed: this.#changed }),
    };
  }

  #stop(why: Error): void {
    this.#stopping.abort(why);
  }

  async #played(
    { suite, files, before }: HostedSuite,
    url: string,
    similarity: TextSimilarity | null,
  ): Promise<void> {
    const { key, agentId, only, madeAgent, removeAgent } = this.#order;
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    const results = await runSuites([{ suite, files, file: 'suite', folder: '', brain: null }], {
      api: new ServerApi(url, key, signal),
      similarity,
      persona: null,
      silent: true,
      signal,
      madeAgent,
      removeAgent,
      ...(agentId === undefined ? {} : { agentId }),
      ...(only === undefined ? {} : { only }),
      onResult: (result) => this.#scenarios.push(reportOf(result)),
    });
    const now = results[0]?.trials[0]?.call?.record;
    if (before !== null && now) this.#changed = turnDifferences(turnsOf(before), turnsOf(now));
  }

  #givenUp(): Promise<never> {
    const { signal } = this.#stopping;
    return new Promise((_, reject) => {
      const giveUp = () => setTimeout(() => reject(signal.reason), ENDING_MS).unref();
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}

const stateAfter = (error: Error): State =>
  error instanceof RunCanceled ? { kind: 'canceled' } : { kind: 'failed', error: error.message };

type HostedResult = ReturnType<typeof reportOf>;

const reportOf = ({ name, passed, trials }: ScenarioResult) => ({
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
});
