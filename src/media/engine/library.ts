import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ENGINE_PACKAGE } from '../../foundation/platform/engine-package.ts';
import { addon } from './addon.ts';
import type { CpuFeatures, ModelPlacement, TelephonyLibraries } from './native.ts';
import { statusName } from './status.ts';

const require = createRequire(import.meta.url);

export function inferenceLibrary(): string | undefined {
  const name = process.platform === 'darwin' ? 'libonnxruntime.1.dylib' : 'libonnxruntime.so.1';
  if (ENGINE_PACKAGE) return join(ENGINE_PACKAGE, name);
  let root: string;
  try {
    root = dirname(require.resolve('onnxruntime-node/package.json'));
  } catch {
    return undefined;
  }
  const path = join(root, 'bin/napi-v6', process.platform, process.arch, name);
  return existsSync(path) ? path : undefined;
}

export interface DeviceReport {
  readonly library: string;
  readonly problem?: string;
  readonly version?: string;
  readonly providers: readonly string[];
  readonly device: 'cpu' | 'cuda';
  readonly fallback?: string;
}

const NO_CUDA_BUILD =
  'no CUDA build of the inference library is configured; models run on the CPU (set TRUNKLINE_ORT_LIBRARY to such a build)';

export const cpuFeatures = (): CpuFeatures => addon().cpuFeatures();

/**
 * Returns the `most` of `count` vectors with the largest dot products with `query`: row and sum alternate, best
 * first.
 */
export const nearestSums = (rows: Int8Array, count: number, query: Int8Array, most: number): Int32Array =>
  addon().nearestRows(rows, count, query, most);

export const telephonyLibraries = (): TelephonyLibraries => addon().telephonyLibraries();

export interface MissingLibrary {
  readonly name: 'Opus' | 'SRTP';
  readonly detail: string;
}

export function missingLibraries({ opus, srtp } = telephonyLibraries()): MissingLibrary[] {
  const missing: MissingLibrary[] = [];
  const add = (name: MissingLibrary['name'], costs: string, from: string) =>
    missing.push({
      name,
      detail: `built without ${name}: ${costs}. apt-get install -y ${from}, then npm start, which builds it in`,
    });
  if (!opus) add('Opus', 'browsers, messaging apps and SIP get G.711 at 8 kHz', 'libopus-dev');
  if (!srtp) add('SRTP', 'sound over SIP is not enciphered', 'libsrtp2-dev');
  return missing;
}

export interface DeviceSettings {
  readonly device: 'auto' | 'cpu' | 'cuda';
  readonly index?: number;
}

export function deviceReport(
  { device, index = 0 }: DeviceSettings,
  library = inferenceLibrary() ?? '',
): DeviceReport {
  const info = addon().runtimeInfo(library);
  if (info.status !== 0) {
    const problem = `${statusName(info.status)}: ${info.message}`;
    return { library, problem, providers: [], device: 'cpu' };
  }
  const base = { library, version: info.version, providers: info.providers };
  const able = info.providers.includes('CUDAExecutionProvider');
  if (device === 'cpu' || (device === 'auto' && !able)) return { ...base, device: 'cpu' };
  if (!able) return { ...base, device: 'cpu', fallback: NO_CUDA_BUILD };
  const probe = addon().probeCuda(library, index);
  if (probe.status === 0) return { ...base, device: 'cuda' };
  return { ...base, device: 'cpu', fallback: probe.message };
}

export function inspectModels(
  { device, index = 0 }: DeviceSettings,
  models: Readonly<Record<string, string>>,
  library = inferenceLibrary() ?? '',
): ModelPlacement[] {
  const graphs = Object.entries(models).filter(
    ([name]) => /\.(onnx|ort)$/.test(name) && !PUBLISHED.has(name),
  );
  return addon().inspectModels({ library, device, cudaDevice: index, models: Object.fromEntries(graphs) });
}

/** Recipes read these published graphs; the engine reads the converted ones. */
const PUBLISHED = new Set(['kokoro/kokoro.onnx']);
