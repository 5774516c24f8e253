import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../../foundation/platform/clock.ts';
import { wavHeader } from '../codec/index.ts';
import { convertAudio, interleave } from '../engine/index.ts';
import { RecordingTrack } from './recording-track.ts';

export const BRIDGE_RECORDING_RATE = 8000;
const HEADER_BYTES = 44;
const FRAME_BYTES = 4;
const WRITE_EVERY_MS = 500;
/** A frame that is later than this loses its place. */
const BEHIND_MS = 200;

export interface BridgeRecordingOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

/** Records two people as a stereo WAV by the clock. The file is complete at any moment up to its last write. */
export class BridgeRecording {
  readonly #options: BridgeRecordingOptions;
  readonly #began: number;
  #sides: { readonly caller: RecordingTrack; readonly other: RecordingTrack } | null = {
    caller: new RecordingTrack(),
    other: new RecordingTrack(),
  };
  #file: FileHandle | null = null;
  #written = 0;
  #writing: Promise<void>;
  #stop: () => void = () => undefined;

  constructor(options: BridgeRecordingOptions) {
    this.#options = options;
    this.#began = options.clock.monotonic();
    this.#writing = this.#opened();
    this.#next();
  }

  write(side: 'caller' | 'other', frames: Uint8Array, lateMs = 0): void {
    this.#sides?.[side].place(frames, this.#now() - Math.round((lateMs * BRIDGE_RECORDING_RATE) / 1000));
  }

  /** Resolves when all audio is in the file. Never rejects. */
  async close(): Promise<void> {
    this.#stop();
    this.#write(this.#now());
    await this.#writing;
    await this.#file?.close().catch((error: unknown) => this.#failed(error));
    this.#file = null;
    this.#sides = null;
  }

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
    const { caller, other } = this.#sides;
    const taken = (side: RecordingTrack) => convertAudio('pcmu', side.take(until), 'pcm16');
    const both = interleave(taken(caller), taken(other));
    if (both.length > 0) this.#writing = this.#writing.then(() => this.#append(both));
  }

  /** The header is updated after the samples, so a crash in between leaves a shorter but valid recording. */
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
