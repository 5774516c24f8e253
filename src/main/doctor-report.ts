import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { DoctorReport } from '../edge/surfaces/operator/index.ts';
import type { Clock } from '../foundation/platform/clock.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import { ApiError } from '../foundation/platform/errors.ts';
import { PROJECT_ROOT } from '../foundation/platform/project-root.ts';

const PROGRAM = join(PROJECT_ROOT, 'scripts/trunkline.mjs');
const WITHIN_MS = 120_000;
const FRESH_MS = 60_000;
const MOST_BYTES = 1_048_576;

export interface DoctorReportsOptions {
  readonly config: Pick<Config, 'data' | 'port' | 'models'>;
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  /** Only tests give their own. */
  readonly program?: string;
}

interface DoctorRun {
  readonly report: Promise<DoctorReport>;
  endedAt: number | null;
}

/**
 * Runs `npx trunkline doctor` in a process of its own, because the checks open every model and would hold up calls
 * here. One run serves all who ask while it lasts, and for a minute afterwards.
 */
export class DoctorReports {
  readonly #options: DoctorReportsOptions;
  readonly #stopping = new AbortController();
  #latest: DoctorRun | null = null;

  constructor(options: DoctorReportsOptions) {
    this.#options = options;
  }

  report(): Promise<DoctorReport> {
    const { clock } = this.#options;
    const latest = this.#latest;
    if (latest !== null && (latest.endedAt === null || clock.monotonic() - latest.endedAt < FRESH_MS))
      return latest.report;
    const run: DoctorRun = { report: this.#run(), endedAt: null };
    this.#latest = run;
    run.report.then(
      () => {
        run.endedAt = clock.monotonic();
      },
      () => {
        if (this.#latest === run) this.#latest = null;
      },
    );
    return run.report;
  }

  /** Ends the checks that run. Later requests are refused. */
  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<DoctorReport> {
    const text = await this.#output();
    try {
      const findings = JSON.parse(text) as DoctorReport['findings'];
      return { checkedAt: this.#options.clock.now(), findings };
    } catch (cause) {
      throw new ApiError('unavailable', 'The checks ended without a report: run npx trunkline doctor.', {
        cause,
      });
    }
  }

  #output(): Promise<string> {
    const { config, clock, environment, program = PROGRAM } = this.#options;
    const env = {
      ...environment,
      TRUNKLINE_DATA: config.data,
      TRUNKLINE_PORT: String(config.port),
      ...(config.models === null ? {} : { TRUNKLINE_MODELS: config.models }),
    };
    const { signal: stopping } = this.#stopping;
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [program, 'doctor', '--json'], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
        signal: stopping,
        killSignal: 'SIGKILL',
      });
      const parts: Buffer[] = [];
      let bytes = 0;
      const stop = clock.after(WITHIN_MS, () => child.kill('SIGKILL'));
      child.stdout.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > MOST_BYTES) child.kill('SIGKILL');
        else parts.push(part);
      });
      child.once('error', (cause) => {
        stop();
        const message = stopping.aborted
          ? 'This server is stopping.'
          : 'The checks could not be started on this server.';
        reject(new ApiError('unavailable', message, { cause }));
      });
      child.once('close', (_code, signal) => {
        stop();
        if (signal === null) resolve(Buffer.concat(parts).toString());
        else
          reject(
            new ApiError(
              'unavailable',
              `The checks did not end within ${WITHIN_MS / 1000} s: run npx trunkline doctor.`,
            ),
          );
      });
    });
  }
}
