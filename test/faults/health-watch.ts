import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ServerProcess } from './server-process.ts';

export interface Answered {
  readonly answers: number;
  /** The longest answer in wall-clock time. */
  readonly tookMs: number;
  /** The longest answer without the server's wait for a CPU. */
  readonly ownMs: number;
  readonly failed: string | null;
}

export class HealthWatch {
  readonly #asker: ChildProcess;

  private constructor(asker: ChildProcess) {
    this.#asker = asker;
  }

  static async of({ url, pid }: Pick<ServerProcess, 'url' | 'pid'>): Promise<HealthWatch> {
    const asker = fork(join(import.meta.dirname, 'health-asker.mjs'), [`${url}/healthz`, String(pid)]);
    await once(asker, 'message');
    return new HealthWatch(asker);
  }

  async during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly answered: Answered }> {
    await this.#take();
    const result = await work();
    let answered = await this.#take();
    while (answered.answers === 0 && answered.failed === null) answered = await this.#take();
    return { result, answered };
  }

  stop(): void {
    this.#asker.disconnect();
  }

  async #take(): Promise<Answered> {
    this.#asker.send('take');
    const [answered] = (await once(this.#asker, 'message')) as [Answered];
    return answered;
  }
}
