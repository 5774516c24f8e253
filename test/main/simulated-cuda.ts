import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inferenceLibrary } from '../../src/media/engine/index.ts';

const NATIVE = resolve(import.meta.dirname, '../../native');

/**
 * The CUDA build of the inference library uses the CPU as its device: see native/test/onnx/fakes/simulated_cuda.cc.
 */
export class SimulatedCuda {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trunkline-cuda-'));
  readonly library = join(this.#folder, 'libonnxruntime.so');
  readonly provider = join(this.#folder, 'libonnxruntime_providers_cuda.so');
  readonly #fault = join(this.#folder, 'fault');

  constructor() {
    const compile = (source: string, out: string) =>
      execFileSync('c++', ['-std=c++20', '-shared', '-fPIC', '-I', NATIVE, join(NATIVE, source), '-o', out]);
    compile('test/onnx/fakes/simulated_cuda.cc', this.library);
    compile('test/onnx/fakes/not_inference.cc', this.provider);
    copyFileSync(this.provider, join(this.#folder, 'libonnxruntime_providers_shared.so'));
    process.env.TRUNKLINE_TEST_CUDA_RUNTIME = inferenceLibrary();
    process.env.TRUNKLINE_TEST_CUDA_FAULT = this.#fault;
  }

  fail(how: 'open' | 'run', message: string): void {
    writeFileSync(this.#fault, `${how} ${message}`);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
