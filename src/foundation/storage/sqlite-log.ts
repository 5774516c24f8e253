import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GroupSync } from './group-sync.ts';

/** SQLite's log of what was committed. It is brought to the disk beside the event loop, not in it. */
export class SqliteLog {
  readonly #path: string;
  readonly #group = new GroupSync(() => this.#sync());
  #file: Promise<FileHandle> | null = null;

  /** `file`: the database. */
  constructor(file: string) {
    this.#path = `${file}-wal`;
  }

  /** Resolves once everything committed before the call survives the loss of power. */
  settled(): Promise<void> {
    return this.#group.settled();
  }

  /** The writer is closed after this: the log's file goes with it. */
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
      await folder.sync(); // a new file lasts only once the folder that names it does
    } finally {
      await folder.close();
    }
    return file;
  }
}
