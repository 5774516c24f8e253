import { availableParallelism } from 'node:os';
import { inferenceLibrary } from './library.ts';
import type { NativeConfig } from './native.ts';

export interface EngineOptions {
  readonly slots?: number;
  readonly capacity?: number;
  readonly mediaThreads?: number;
  readonly inferenceThreads?: number;
  readonly jobs?: number;
  readonly overflowMs?: number;
  readonly library?: string | null;
  readonly device?: 'auto' | 'cpu' | 'cuda';
  readonly cudaDevice?: number;
  /** The limit of one model's arena on the GPU in MiB; 0 is unlimited. */
  readonly cudaMemoryMb?: number;
  readonly cudaConvolutions?: 'heuristic' | 'exhaustive' | 'default';
  /** Maps a model file's manifest path to its path on this machine. Missing files are left out. */
  readonly models?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
}

const DEVICES = ['auto', 'cpu', 'cuda'];

export function checkEngineOptions(options: EngineOptions): NativeConfig {
  const cores = availableParallelism();
  const device = options.device ?? 'auto';
  if (!DEVICES.includes(device)) outOfRange('device', DEVICES.join(', '), device);
  return {
    slots: integer('slots', options.slots ?? 256, 1, 65_536),
    capacity: integer('capacity', options.capacity ?? cores * 800, 0, 10_000_000),
    mediaThreads: integer('mediaThreads', options.mediaThreads ?? 1, 1, 64),
    // One thread is reserved for urgent work.
    inferenceThreads: integer('inferenceThreads', options.inferenceThreads ?? Math.max(2, cores), 1, 256),
    jobs: integer('jobs', options.jobs ?? 256, 1, 65_536),
    overflowMs: integer('overflowMs', options.overflowMs ?? 5000, 10, 600_000),
    library: options.library ?? inferenceLibrary() ?? '',
    device,
    cudaDevice: integer('cudaDevice', options.cudaDevice ?? 0, 0, 1024),
    cudaMemoryMb: integer('cudaMemoryMb', options.cudaMemoryMb ?? 0, 0, 10_000_000),
    cudaConvolutions: options.cudaConvolutions ?? 'heuristic',
    models: options.models ?? {},
    settings: options.settings ?? {},
  };
}

export function integer(name: string, value: number, low: number, high: number): number {
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  return outOfRange(name, `an integer from ${low} to ${high}`, value);
}

export function outOfRange(name: string, expected: string, received: unknown): never {
  throw new RangeError(`expected ${expected} for '${name}', received ${JSON.stringify(received)}`);
}
