import type { TenantScope } from '../../foundation/access/contract.ts';
import { DEFAULT_RETENTION, type RetentionDays } from '../../foundation/access/index.ts';
import { type JobDefinition, type JobWorker, sandboxQueueOf } from '../../foundation/jobs/index.ts';
import type { BackgroundTasks } from '../../foundation/platform/background-tasks.ts';
import type { PersonalDataStore, RetentionSweep } from '../../foundation/privacy/index.ts';
import type { ServedVoice, VoiceCatalogue } from '../../speech/voices/index.ts';
import { CastVoices, stressesWords, VoiceSimilarity } from './casting/index.ts';
import type { ScriptedLine } from './contract.ts';
import { type AskModel, Director } from './direction/index.ts';
import { castPersonalData } from './personal-data.ts';
import { CastProjects, type ProjectWithLines } from './projects.ts';
import { QUEUE } from './queue.ts';
import { RenderRun, RenderWorkspace } from './rendering/index.ts';
import type { RenderDeps } from './rendering/run.ts';
import { Renders } from './renders.ts';
import { castSweep } from './retention.ts';

export interface CastServiceDeps extends RenderDeps {
  readonly catalogue: VoiceCatalogue;
  /** The model is null when no language model is configured. */
  readonly model: AskModel | null;
  /** Renders write their clips below this folder. */
  readonly folder: string;
  readonly concurrency: number;
  readonly background: BackgroundTasks;
  readonly retention?: (orgId: string) => Promise<RetentionDays>;
  readonly onError?: (error: Error) => void;
}

const LEASE_MS = 30_000;
/** A long render returns to the queue at its next line after this time, so that other renders proceed. */
const TURN_MS = 60_000;

export class CastService {
  readonly projects: CastProjects;
  readonly renders: Renders;
  readonly voices: CastVoices;
  readonly director: Director;
  readonly personalData: PersonalDataStore;
  readonly #deps: CastServiceDeps;
  readonly #workplace: RenderWorkspace;
  #workers: JobWorker[] = [];
  #sweeping: RetentionSweep | null = null;

  constructor(deps: CastServiceDeps) {
    this.#deps = deps;
    this.voices = new CastVoices(deps.catalogue);
    this.projects = new CastProjects({ ...deps, voices: this.voices, similarity: new VoiceSimilarity() });
    this.renders = new Renders({ ...deps, voices: this.voices });
    this.director = new Director(deps.model);
    this.personalData = castPersonalData(deps.storage, this.projects, this.renders);
    this.#workplace = new RenderWorkspace(deps.folder, deps.clock);
  }

  /** Directs the requested lines; returns null where no line needs direction. */
  async direct(
    scope: TenantScope,
    whole: ProjectWithLines,
    how: { readonly only?: readonly string[]; readonly again: boolean },
    signal: AbortSignal,
  ): Promise<ProjectWithLines> {
    const { project, lines } = whole;
    const voiceOf = await this.#voicesOf(scope, whole);
    const order = {
      title: project.title,
      language: project.language,
      lines,
      emotions: (line: ScriptedLine) => voiceOf(line).emotions,
      stresses: (line: ScriptedLine) => stressesWords(voiceOf(line).engine),
      ...how,
    };
    return await this.projects.direct(scope, whole, await this.director.direct(order, signal));
  }

  async #voicesOf(
    scope: TenantScope,
    { project, lines }: ProjectWithLines,
  ): Promise<(line: ScriptedLine) => ServedVoice> {
    const own = new Map(project.speakers.map(({ name, voice }) => [name, voice]));
    const nameOf = ({ voice, speaker }: ScriptedLine) => voice ?? own.get(speaker)!;
    const known = new Map<string, ServedVoice>();
    for (const name of new Set(lines.map(nameOf)))
      known.set(name, await this.voices.resolve(scope, name, 'voice'));
    return (line) => known.get(nameOf(line))!;
  }

  async start(): Promise<void> {
    const { queue, concurrency, retention = async () => DEFAULT_RETENTION, onError = () => {} } = this.#deps;
    await this.#workplace.open();
    const run = new RenderRun(this.#deps, this.#workplace);
    const definitions = [rendering(run, QUEUE, concurrency), rendering(run, sandboxQueueOf(QUEUE), 1)];
    this.#workers = definitions.map((definition) => queue.startWorker(definition, { onError }));
    this.#sweeping = castSweep({ ...this.#deps, retention });
    this.#sweeping.start();
  }

  async stop(deadlineMs: number): Promise<void> {
    void this.#sweeping?.stop();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop(deadlineMs)));
  }
}

const rendering = (run: RenderRun, queue: string, concurrency: number): JobDefinition => ({
  queue,
  concurrency,
  leaseMs: LEASE_MS,
  timeSliceMs: TURN_MS,
  run: (job, signal) => run.run(job, queue, signal),
  onDead: (trx, job) => run.died(trx, job),
  onRevived: (trx, job) => run.revived(trx, job),
});
