import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

export type DiskError = 'ENOSPC' | 'EROFS' | 'EIO';

const errorText = (code: number): string => String(code).padEnd(8, '\0');

/**
 * The disk fails on demand, for one process: a library between the program and the system calls needs no rights and
 * affects no other process.
 */
export class FailingDisk {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trunkline-failing-'));
  readonly #control = join(this.#folder, 'control');
  readonly #library = join(this.#folder, 'failing-disk.so');

  constructor() {
    writeFileSync(this.#control, errorText(0));
    const source = join(import.meta.dirname, 'failing-disk.c');
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', this.#library, source, '-ldl']);
  }

  environment(folder: string): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      FAILING_DISK_FOLDER: folder,
      FAILING_DISK_CONTROL: this.#control,
    };
  }

  fail(error: DiskError): void {
    this.#set(constants.errno[error]);
  }

  /** Writes succeed, and never reach the disk. */
  failToSync(error: DiskError): void {
    this.#set(-constants.errno[error]);
  }

  mend(): void {
    this.#set(0);
  }

  #set(code: number): void {
    const file = openSync(this.#control, 'r+');
    writeSync(file, errorText(code), 0);
    closeSync(file);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
