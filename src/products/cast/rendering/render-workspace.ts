import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../foundation/platform/clock.ts';

const ABANDONED_MS = 24 * 3_600_000;

/** The folder of clips; a file belongs to a render and is removed at the end of the attempt. */
export class RenderWorkspace {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  path(id: string): string {
    return join(this.#folder, `${id}-${process.pid}.pcm`);
  }

  /** Removes the leftovers of a process that was killed. */
  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const left = await stat(path).catch(() => null);
      if (left !== null && this.#clock.now() - left.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    }
  }
}
