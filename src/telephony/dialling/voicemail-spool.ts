import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^(tcl_[A-Za-z0-9]{20})\.ulaw$/;

export interface SpooledVoicemail {
  write(piece: Uint8Array): void;
  end(): void;
}

/** The folder of messages that are being recorded, so that those of a killed process are not lost. */
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
    // A full disk costs the spooled copy and not the message.
    file.on('error', this.#onError);
    file.once('close', () => this.#open.delete(callId));
    this.#open.set(callId, file);
    return {
      write: (piece) => void file.write(piece.slice()),
      end: () => void file.end(),
    };
  }

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
