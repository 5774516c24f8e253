import { availableParallelism } from 'node:os';
import { inferenceLibrary } from './library.ts';
import type { NativeConfig } from './native.ts';

export interface EngineOptions {
  /** Lanes that can live at once. */
  readonly slots?: number;
  /** Thousandths of a core that lanes may take together; default: four fifths of the cores. */
  readonly capacity?: number;
  /** The same while models run on a GPU; 0: as on the CPU. */
  readonly cudaCapacity?: number;
  readonly mediaThreads?: number;
  readonly inferenceThreads?: number;
  /** Jobs that live at once. */
  readonly jobs?: number;
  /** How long a lane may fail to write because nobody drains. */
  readonly overflowMs?: number;
  /** Path of the inference library; default: the one of onnxruntime-node. */
  readonly library?: string | null;
  readonly device?: 'auto' | 'cpu' | 'cuda';
  readonly cudaDevice?: number;
  /** MiB that the arena of one model may take on the GPU; 0: no limit. */
  readonly cudaMemoryMb?: number;
  /** How the kernel of a convolution is chosen for a new shape. */
  readonly cudaConvolutions?: 'heuristic' | 'exhaustive' | 'default';
  /** Manifest path of a model's file to its path on this machine. A file that is not there is left out. */
  readonly models?: Readonly<Record<string, string>>;
  /** `kind.setting` to its value. */
  readonly settings?: Readonly<Record<string, string>>;
}

const DEVICES = ['auto', 'cpu', 'cuda'];

/** The one check of everything that createEngine takes. */
export function checkEngineOptions(options: EngineOptions): NativeConfig {
  const cores = availableParallelism();
  const device = options.device ?? 'auto';
  if (!DEVICES.includes(device)) outOfRange('device', DEVICES.join(', '), device);
  return {
    slots: integer('slots', options.slots ?? 256, 1, 65_536),
    capacity: integer('capacity', options.capacity ?? cores * 800, 0, 10_000_000),
    cudaCapacity: integer('cudaCapacity', options.cudaCapacity ?? 0, 0, 10_000_000),
    mediaThreads: integer('mediaThreads', options.mediaThreads ?? 1, 1, 64),
    // One of them is kept for what cannot wait.
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

/** The one form of every range error: what was expected, for which name, what was received. */
export function outOfRange(name: string, expected: string, received: unknown): never {
  throw new RangeError(`expected ${expected} for '${name}', received ${JSON.stringify(received)}`);
}
