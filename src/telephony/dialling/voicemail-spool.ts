import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^(tcl_[A-Za-z0-9]{20})\.ulaw$/;

/** A message that is being spoken. */
export interface SpooledVoicemail {
  /** U-law at 8 kHz. */
  write(piece: Uint8Array): void;
  /** No more is written. What was written stays until it is removed. */
  end(): void;
}

/** The folder in which messages lie while they are spoken, so that those of a killed process are not lost with it. */
export class VoicemailSpool {
  readonly #folder: string;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Map<string, WriteStream>();

  constructor(folder: string, onError: (error: unknown) => void) {
    this.#folder = folder;
    this.#onError = onError;
  }

  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  begin(callId: string): SpooledVoicemail {
    const file = createWriteStream(this.#path(callId), { mode: 0o600 });
    // A disk that is full costs the copy, not the message.
    file.on('error', this.#onError);
    file.once('close', () => this.#open.delete(callId));
    this.#open.set(callId, file);
    return {
      write: (piece) => void file.write(piece.slice()),
      end: () => void file.end(),
    };
  }

  /** The calls that have left a file. */
  async calls(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.flatMap((name) => NAME.exec(name)?.[1] ?? []);
  }

  read = (callId: string): Promise<Buffer> => readFile(this.#path(callId));

  async remove(callId: string): Promise<void> {
    const file = this.#open.get(callId);
    if (file !== undefined) await new Promise<void>((resolve) => file.once('close', resolve).end());
    await rm(this.#path(callId), { force: true });
  }

  #path(callId: string): string {
    return join(this.#folder, `${callId}.ulaw`);
  }
}
