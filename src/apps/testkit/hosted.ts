/** Runs suites for customers on the server: few at a time, small ones, and without access to the server itself. */

import { HostedRun, type HostedSuite } from './hosted-run.ts';
import { checkHosted, HOSTED_LIMITS } from './hosted-suite.ts';
import { readSuiteInWorker } from './read-suite-in-worker.ts';
import { type DecodeRecording, heldAgain, recordedCall } from './recorded-call.ts';
import { ServerApi } from './server-api.ts';
import { SuiteError } from './suite.ts';
import type { TextSimilarity } from './text-similarity.ts';

export interface HostedOrder {
  readonly owner: string;
  readonly key: string;
  readonly what: { readonly suite: string } | { readonly replay: string };
  readonly agentId?: string;
  readonly only?: string;
  /** Calls back when the key is revoked or has expired; returns a function that stops watching. */
  readonly watch: (onDead: () => void) => () => void;
  /** Records an agent that the suite created, so that it is removed even after a crash. */
  readonly madeAgent: (id: string) => Promise<unknown>;
  /** Removes an agent that the suite created, also where the key is revoked. */
  readonly removeAgent: (id: string) => Promise<unknown>;
}

export class BusyError extends Error {}

/** Ended runs stay for an hour, up to these limits per owner and in total. */
const RUNS_PER_OWNER = 20;
const RUNS_OF_ALL = 500;
const RUN_RETENTION_MS = 3_600_000;

export interface HostedOptions {
  readonly url: () => string;
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

  /** Throws SuiteError where the suite exceeds the limits, and BusyError where too many suites are running. */
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

  async look(owner: string, id: string, ms: number) {
    return (await this.#found(owner, id)?.shown(ms)) ?? null;
  }

  async cancel(owner: string, id: string) {
    const run = this.#found(owner, id);
    await run?.cancel();
    return (await run?.shown(0)) ?? null;
  }

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
      throw new SuiteError(`${what.replay} cannot be replayed: ${(error as Error).message}`);
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
      throw new BusyError('a suite of this project is already running');
    if (playing.length >= HOSTED_LIMITS.runs)
      throw new BusyError('the server has reached its limit of concurrent suites');
    const over = all.filter(({ isPlaying }) => !isPlaying);
    this.#forget(over, RUNS_OF_ALL - 1);
    this.#forget(
      over.filter((run) => run.owner === owner),
      RUNS_PER_OWNER - 1,
    );
  }

  #forget(runs: readonly HostedRun[], left: number): void {
    for (const { id } of runs.slice(0, Math.max(0, runs.length - left))) this.#runs.delete(id);
  }

  #forgetLater({ id }: HostedRun): void {
    setTimeout(() => this.#runs.delete(id), RUN_RETENTION_MS).unref();
  }
}

async function writtenSuite(yaml: string): Promise<HostedSuite> {
  if (yaml.length > HOSTED_LIMITS.characters)
    throw new SuiteError(`a suite can have at most ${HOSTED_LIMITS.characters} characters`);
  const suite = await readSuiteInWorker(yaml);
  checkHosted(suite);
  return { suite, files: new Map(), before: null };
}
