/** Suites that a server plays for who asks it: few at a time, small ones, and nothing that reaches into the server. */

import { HostedRun, type HostedSuite } from './hosted-run.ts';
import { checkHosted, HOSTED_LIMITS } from './hosted-suite.ts';
import { readSuiteInWorker } from './read-suite-in-worker.ts';
import { type DecodeRecording, heldAgain, recordedCall } from './recorded-call.ts';
import { ServerApi } from './server-api.ts';
import { SuiteError } from './suite.ts';
import type { TextSimilarity } from './text-similarity.ts';

export interface HostedOrder {
  /** Who alone may look at it. */
  readonly owner: string;
  readonly key: string;
  /** The suite's YAML; or a call that is held again. */
  readonly what: { readonly suite: string } | { readonly replay: string };
  /** The agent replaces the suite's own; `@` and a version may follow. */
  readonly agentId?: string;
  readonly only?: string;
  /** Calls back when the key dies; returns how to stop waiting for it. */
  readonly watch: (onDead: () => void) => () => void;
  /** Notes an agent that the suite brought: who is killed leaves it behind. */
  readonly madeAgent: (id: string) => Promise<unknown>;
  /** Removes an agent that the suite brought, whatever has become of the key. */
  readonly removeAgent: (id: string) => Promise<unknown>;
}

/** Nothing more is played now. */
export class BusyError extends Error {}

/** Runs that are over are kept for an hour, the newest of each owner and of all. */
const RUNS_PER_OWNER = 20;
const RUNS_OF_ALL = 500;
const RUN_RETENTION_MS = 3_600_000;

export interface HostedOptions {
  /** The server's own address. */
  readonly url: () => string;
  /** The similarity model is null when it is not installed. */
  readonly similarity: () => TextSimilarity | null;
  readonly decode: DecodeRecording;
}

export class HostedRuns {
  readonly #options: HostedOptions;
  readonly #runs = new Map<string, HostedRun>();
  #stopped = false;

  constructor(options: HostedOptions) {
    this.#options = options;
  }

  /** Throws SuiteError where the suite is none that a server plays, and BusyError where enough are played. */
  async start(order: HostedOrder): Promise<string> {
    this.#evictRuns(order.owner);
    const run = new HostedRun(order);
    this.#runs.set(run.id, run);
    try {
      const { url, similarity } = this.#options;
      const wanted = await this.#wanted(order);
      void run.play(wanted, url(), similarity()).then(() => this.#forgetLater(run));
    } catch (error) {
      this.#runs.delete(run.id);
      throw error;
    }
    return run.id;
  }

  /** Gives a run's results so far, once it is over or after `ms`; null when the owner has no such run. */
  async look(owner: string, id: string, ms: number) {
    return (await this.#found(owner, id)?.shown(ms)) ?? null;
  }

  /** Ends the calls of a run; null: the owner has no such run. */
  async cancel(owner: string, id: string) {
    const run = this.#found(owner, id);
    await run?.cancel();
    return (await run?.shown(0)) ?? null;
  }

  /** Ends all runs, and starts no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#runs.values()].map((run) => run.cancel('the server is shutting down')));
  }

  async #wanted({ what, key }: HostedOrder): Promise<HostedSuite> {
    if ('suite' in what) return await writtenSuite(what.suite);
    const { url, decode } = this.#options;
    try {
      const api = new ServerApi(url(), key);
      const call = await recordedCall(api, what.replay, decode, HOSTED_LIMITS.callMs);
      const { suite, files } = heldAgain(call);
      if (call.caller === null) checkHosted(suite);
      return { suite, files, before: call.record };
    } catch (error) {
      if (error instanceof SuiteError) throw error;
      // The API refuses this key some resources, such as the recording.
      throw new SuiteError(`${what.replay} cannot be held again: ${(error as Error).message}`);
    }
  }

  #found(owner: string, id: string): HostedRun | undefined {
    const run = this.#runs.get(id);
    return run?.owner === owner ? run : undefined;
  }

  #evictRuns(owner: string): void {
    if (this.#stopped) throw new BusyError('the server is shutting down');
    const all = [...this.#runs.values()];
    const playing = all.filter(({ isPlaying }) => isPlaying);
    if (playing.some((run) => run.owner === owner))
      throw new BusyError('a suite of this project is running already');
    if (playing.length >= HOSTED_LIMITS.runs) throw new BusyError('the server runs as many suites as it can');
    const over = all.filter(({ isPlaying }) => !isPlaying);
    this.#forget(over, RUNS_OF_ALL - 1);
    this.#forget(
      over.filter((run) => run.owner === owner),
      RUNS_PER_OWNER - 1,
    );
  }

  /** The oldest, until so many are left. */
  #forget(runs: readonly HostedRun[], left: number): void {
    for (const { id } of runs.slice(0, Math.max(0, runs.length - left))) this.#runs.delete(id);
  }

  #forgetLater({ id }: HostedRun): void {
    setTimeout(() => this.#runs.delete(id), RUN_RETENTION_MS).unref();
  }
}

async function writtenSuite(yaml: string): Promise<HostedSuite> {
  if (yaml.length > HOSTED_LIMITS.characters)
    throw new SuiteError(`a suite has ${HOSTED_LIMITS.characters} characters at most`);
  const suite = await readSuiteInWorker(yaml);
  checkHosted(suite);
  return { suite, files: new Map(), before: null };
}
