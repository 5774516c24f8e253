/** The addon's exact exports. Only this module uses them; docs/native-boundary.md describes each verb. */
export interface NativeResult {
  readonly status: number;
  readonly message: string;
}

export interface NativeStatusRow {
  readonly code: number;
  readonly name: string;
  readonly meaning: string;
}

export interface CpuFeatures {
  readonly kernels: 'avx512' | 'avx2' | 'neon' | 'plain';
  readonly avx2: boolean;
  readonly avx512: boolean;
  readonly avx512Vnni: boolean;
  readonly avxVnni: boolean;
  readonly amxInt8: boolean;
  readonly neon: boolean;
}

export interface NativeKind extends NativeResult {
  readonly name: string;
  readonly lane: boolean;
  readonly readiness: 'preparing' | 'ready' | 'failed';
  readonly cost: number;
  readonly live: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The GPU would refuse another lane now. */
  readonly gpuFull: boolean;
}

export interface ModelPlacement {
  readonly name: string;
  readonly device: 'cpu' | 'cuda';
  readonly reason: string;
  readonly failed: boolean;
  readonly nodes: Readonly<Record<string, number>>;
  readonly copies: number;
}

export interface PoolClassStats {
  readonly waiting: number;
  readonly done: number;
  readonly lastWaitMs: number;
}

export interface EngineStats {
  readonly slots: number;
  readonly lanes: number;
  readonly jobs: number;
  /**
   * Native memory in bytes: granted to jobs, held by the speech generator, by open models (as large as their files)
   * and by the lanes' rings; and malloc's in-use, cached and large (mapped) memory.
   */
  readonly memory: Record<
    'jobs' | 'generator' | 'models' | 'rings' | 'heapUsed' | 'heapKept' | 'heapMapped',
    number
  >;
  readonly capacity: number;
  readonly used: number;
  readonly pushed: number;
  readonly refused: number;
  readonly stale: number;
  readonly drains: number;
  readonly drainedBytes: number;
  readonly wakes: number;
  readonly ticks: number;
  readonly missedTicks: number;
  readonly longestTickMs: number;
  readonly tickMs: number;
  readonly device: 'cpu' | 'cuda';
  readonly deviceFallback: string;
  readonly models: readonly ModelPlacement[];
  readonly pool: {
    readonly running: number;
  } & Record<'turnTaking' | 'firstAudio' | 'partial' | 'audio' | 'offline', PoolClassStats>;
}

export interface NativeConfig {
  readonly slots: number;
  readonly capacity: number;
  readonly mediaThreads: number;
  readonly inferenceThreads: number;
  readonly jobs: number;
  readonly overflowMs: number;
  readonly library: string;
  readonly device: string;
  readonly cudaDevice: number;
  readonly cudaMemoryMb: number;
  readonly cudaConvolutions: string;
  readonly models: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}

export interface NativeEngine {
  open(kind: string, options: Uint8Array): NativeResult & { slot: number; generation: number };
  givesWay(kind: string, options: Uint8Array, lighter: Uint8Array): boolean;
  push(slot: number, generation: number, bytes: Uint8Array): number;
  pushCarrierJson(slot: number, generation: number, message: Uint8Array): number;
  control(slot: number, generation: number, verb: number, body: Uint8Array): number;
  join(
    slot: number,
    generation: number,
    otherSlot: number,
    otherGeneration: number,
    notifies: boolean,
    otherNotifies: boolean,
  ): number;
  part(slot: number, generation: number): number;
  close(slot: number, generation: number, clean: boolean): number;
  drain(buffer: Uint8Array): number;
  submit(kind: string, options: Uint8Array, input: Uint8Array): NativeResult & { job: number };
  cancel(job: number): number;
  take(job: number): ArrayBuffer | undefined;
  stats(): EngineStats;
  kinds(): NativeKind[];
  destroy(): void;
}

export interface TelephonyLibraries {
  readonly opus: boolean;
  readonly srtp: boolean;
}

export interface Addon {
  readonly NativeEngine: new (config: NativeConfig, onWake: () => void) => NativeEngine;
  statusTable(): NativeStatusRow[];
  cpuFeatures(): CpuFeatures;
  telephonyLibraries(): TelephonyLibraries;
  runtimeInfo(library: string): NativeResult & { version: string; providers: string[] };
  probeCuda(library: string, device: number): NativeResult;
  inspectModels(config: Pick<NativeConfig, 'library' | 'device' | 'cudaDevice' | 'models'>): ModelPlacement[];
  codeOnHugePages(): number;
  boundReceive(port: number, bytes: number): number;
  guardFrames(library: string, most: number): number;
  answerUpgrade(begins: boolean): void;
  nearestRows(rows: Int8Array, count: number, query: Int8Array, most: number): Int32Array;
  convertAudio(from: number, bytes: Uint8Array, to: number, out: Uint8Array): void;
  mixAudio(format: number, voices: readonly Uint8Array[], out: Uint8Array): void;
  measureAudio(format: number, bytes: Uint8Array, peak: number, out: Float64Array): void;
  addAudio(
    out: Uint8Array,
    outStride: number,
    keep: number,
    bytes: Uint8Array,
    stride: number,
    gain: number,
  ): void;
  addTone(
    out: Uint8Array,
    outStride: number,
    keep: number,
    cycles: number,
    level: number,
    decay: number,
    phase: number,
  ): void;
  downmixAudio(bytes: Uint8Array, channels: number, out: Uint8Array): void;
  floatAudio(bytes: Uint8Array, stride: number, out: Float32Array): void;
  resampleAudio(bytes: Uint8Array, from: number, to: number, out: Uint8Array): void;
}
