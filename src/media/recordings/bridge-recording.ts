import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../../foundation/platform/clock.ts';
import { wavHeader } from '../codec/index.ts';
import { g711 } from '../wire/index.ts';
import { RecordingTrack } from './recording-track.ts';

export const BRIDGE_RECORDING_RATE = 8000;
const HEADER_BYTES = 44;
const FRAME_BYTES = 4;
const WRITE_EVERY_MS = 500;
/** So late a frame may come and still have its place. */
const BEHIND_MS = 200;

export interface BridgeRecordingOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Once: from now on nothing is written. */
  readonly failed: (error: unknown) => void;
}

/** Two people who talk, as a WAV of two channels by the clock: it is whole at any moment, as far as it was written. */
export class BridgeRecording {
  readonly #options: BridgeRecordingOptions;
  readonly #began: number;
  /** The tracks to record; null once the recording has ended. */
  #sides: { readonly caller: RecordingTrack; readonly other: RecordingTrack } | null = {
    caller: new RecordingTrack(),
    other: new RecordingTrack(),
  };
  #file: FileHandle | null = null;
  #written = 0;
  #writing: Promise<void>;
  #stop: () => void = () => undefined;

  /** The file must not exist. */
  constructor(options: BridgeRecordingOptions) {
    this.#options = options;
    this.#began = options.clock.monotonic();
    this.#writing = this.#opened();
    this.#next();
  }

  /** U-law at 8 kHz that comes now. */
  write(side: 'caller' | 'other', frames: Uint8Array): void {
    this.#sides?.[side].place(frames, this.#now());
  }

  /** All that came is in the file. Never rejects. */
  async close(): Promise<void> {
    this.#stop();
    this.#write(this.#now());
    await this.#writing;
    await this.#file?.close().catch((error: unknown) => this.#failed(error));
    this.#file = null;
    this.#sides = null;
  }

  /** The position in samples since the start. */
  #now(): number {
    return Math.round(((this.#options.clock.monotonic() - this.#began) * BRIDGE_RECORDING_RATE) / 1000);
  }

  #next(): void {
    this.#stop = this.#options.clock.after(WRITE_EVERY_MS, () => {
      this.#write(this.#now() - (BEHIND_MS * BRIDGE_RECORDING_RATE) / 1000);
      this.#next();
    });
  }

  async #opened(): Promise<void> {
    try {
      this.#file = await open(this.#options.path, 'wx', 0o600);
    } catch (error) {
      this.#failed(error);
    }
  }

  #write(until: number): void {
    if (this.#sides === null) return;
    const caller = g711.decode('pcmu', this.#sides.caller.take(until));
    const other = g711.decode('pcmu', this.#sides.other.take(until));
    const both = Buffer.allocUnsafe(caller.length * 2);
    for (let at = 0; at < caller.length; at += 2) {
      both.writeInt16LE(caller.readInt16LE(at), at * 2);
      both.writeInt16LE(other.readInt16LE(at), at * 2 + 2);
    }
    if (both.length > 0) this.#writing = this.#writing.then(() => this.#append(both));
  }

  /** The header counts it once it is there: whoever dies in between leaves a shorter recording. */
  async #append(both: Buffer): Promise<void> {
    try {
      await this.#file?.write(both, 0, both.length, HEADER_BYTES + this.#written);
      this.#written += both.length;
      const format = { sampleRate: BRIDGE_RECORDING_RATE, channels: FRAME_BYTES / 2, sample: 's16' } as const;
      await this.#file?.write(wavHeader(format, this.#written), 0, HEADER_BYTES, 0);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#sides === null) return;
    this.#sides = null;
    this.#stop();
    this.#options.failed(error);
    const file = this.#file;
    this.#file = null;
    void file?.close().catch(() => undefined);
  }
}
