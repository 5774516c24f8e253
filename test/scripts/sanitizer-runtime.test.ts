import { afterEach, describe, expect, it } from 'vitest';
import { requireRuntime } from '../../scripts/native/sanitizer-runtime.mjs';

afterEach(() => {
  delete process.env.CCC_OVERRIDE_OPTIONS;
});

describe('the runtime of the sanitizers', () => {
  it('is taken for there where a program links', async () => {
    await expect(requireRuntime('g++', 'address,undefined')).resolves.toBeUndefined();
    await expect(requireRuntime('clang++', 'fuzzer,address,undefined')).resolves.toBeUndefined();
  });

  it('is named with the package that brings it where the compiler came without it', async () => {
    process.env.CCC_OVERRIDE_OPTIONS = '+-resource-dir=/var/empty';
    await expect(requireRuntime('clang++', 'fuzzer,address,undefined')).rejects.toMatchObject({
      message: expect.stringMatching(/clang\+\+ cannot link with -fsanitize=fuzzer.*\n.*libclang_rt/s),
      mend: expect.stringMatching(/^apt-get install -y libclang-rt-\d+-dev$/),
    });
  });

  it('is named together with a compiler that is not there', async () => {
    await expect(requireRuntime('clang++-none', 'fuzzer,address,undefined')).rejects.toMatchObject({
      message: 'clang++-none is missing',
      mend: "apt-get install -y clang '^libclang-rt-[0-9]+-dev$'",
    });
  });
});
