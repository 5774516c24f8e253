import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GroupSync } from './group-sync.ts';

export class SqliteLog {
  readonly #path: string;
  readonly #group = new GroupSync(() => this.#sync());
  #file: Promise<FileHandle> | null = null;

  constructor(file: string) {
    this.#path = `${file}-wal`;
  }

  /** Resolves once everything committed before the call survives a power loss. */
  settled(): Promise<void> {
    return this.#group.settled();
  }

  async close(): Promise<void> {
    const file = await this.#file;
    this.#file = null;
    await file?.close();
  }

  async #sync(): Promise<void> {
    this.#file ??= this.#open();
    const file = await this.#file.catch((error: unknown) => {
      this.#file = null;
      throw error;
    });
    await file.datasync();
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#path, 'r');
    const folder = await open(dirname(this.#path), 'r');
    try {
      await folder.sync(); // a new file is durable only after its folder is synced
    } finally {
      await folder.close();
    }
    return file;
  }
}
