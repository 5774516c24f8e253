import { cpuFeatures } from '../../src/media/engine/index.ts';
import { narrowedLibrary } from './patch-cpuid.ts';

export const LEVELS = ['avx2', 'avx512', 'amx'] as const;
export type Level = (typeof LEVELS)[number];

export const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  avx2: 'AVX2',
  avx512: 'AVX-512',
  amx: 'AMX',
};

export function levelsHere(): Level[] {
  const { avx2, avx512, amxInt8 } = cpuFeatures();
  const has: Record<Level, boolean> = { avx2, avx512, amx: amxInt8 };
  return LEVELS.filter((level) => has[level]);
}

const PEER: Readonly<Record<Exclude<Level, 'amx'>, Record<string, string>>> = {
  avx2: { CT2_FORCE_CPU_ISA: 'AVX2', MKL_ENABLE_INSTRUCTIONS: 'AVX2', ONEDNN_MAX_CPU_ISA: 'AVX2' },
  avx512: {
    CT2_FORCE_CPU_ISA: 'AVX512',
    MKL_ENABLE_INSTRUCTIONS: 'AVX512_E1',
    ONEDNN_MAX_CPU_ISA: 'AVX512_CORE_VNNI',
  },
};

/** Returns the environment of a program whose kernels and inference library use only instructions of the level. */
export function levelEnvironment(level: Level): Record<string, string> {
  const library = narrowedLibrary(level);
  if (level === 'amx' || library === undefined) return {};
  return { TRUNKLINE_CPU: level, TRUNKLINE_ORT_LIBRARY: library, ...PEER[level] };
}
