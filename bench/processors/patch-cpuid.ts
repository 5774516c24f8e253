/**
 * Patches a copy of the inference library to detect only the features of a lesser processor. The library has no
 * switch for it, so the copy changes the places of detection: for the benchmark alone, and only for the one pinned
 * build.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { inferenceLibrary } from '../../src/media/engine/index.ts';
import type { Level } from './levels.ts';

type Change = readonly [was: string, is: string];

/** `xgetbv` returns the registers that the system saves; 7 is those of AVX alone: no AVX-512, no tiles. */
const NO_WIDE_REGISTERS: readonly Change[] = [
  ['89ce31c90f01d089c048c1e220', '89ce31c96a075889c048c1e220'],
  ['31c90f01d089fa4489c7', '31c96a075889fa4489c7'],
  ['4489c94809da4889d50f01d089c0', '4489c94809da4889d5b0079089c0'],
];
/** The library detects 256-bit byte sums (AVX-VNNI, its signed form, and narrow floats) by one bit each. */
const NO_SUMS_OF_BYTES: readonly Change[] = [
  ['b807000000b9010000000fa2a81074', 'b807000000b9010000000fa2a80074'],
  ['f6c210743af30f7e05', 'f6c200743af30f7e05'],
  ['83e220740e488d05', '83e200740e488d05'],
];
/**
 * The library tests two bits for the system's permission to use tiles; the patched test asks for one that is never
 * set.
 */
const NO_TILES: readonly Change[] = [['4c89c248f7d2f7c200000600', '4c89c248f7d2f7c200000080']];

const CHANGES: Readonly<Record<Exclude<Level, 'amx'>, readonly Change[]>> = {
  avx2: [...NO_WIDE_REGISTERS, ...NO_SUMS_OF_BYTES],
  avx512: NO_TILES,
};

export function narrowedLibrary(level: Level): string | undefined {
  if (level === 'amx') return undefined;
  const source = inferenceLibrary();
  if (source === undefined) throw new Error('there is no inference library for this machine');
  const code = readFileSync(source);
  for (const change of CHANGES[level]) apply(code, change);
  const path = resolve('build-bench/processors', level, 'libonnxruntime.so.1');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
  return path;
}

function apply(code: Buffer, [was, is]: Change): void {
  const [from, to] = [Buffer.from(was, 'hex'), Buffer.from(is, 'hex')];
  const at = code.indexOf(from);
  if (at < 0 || code.indexOf(from, at + 1) >= 0)
    throw new Error(`the inference library is not the build that can be narrowed: ${was} is not there once`);
  to.copy(code, at);
}
