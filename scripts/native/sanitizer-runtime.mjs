import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';

const PROGRAM = {
  main: 'int main() { return 0; }\n',
  fuzzer: 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }\n',
};

export async function requireRuntime(compiler, sanitizers) {
  const { code, missing, stderr } = await link(compiler, sanitizers);
  if (code === 0) return;
  if (missing) throw new Failure(`${compiler} is missing`, `apt-get install -y ${await packageOf(compiler)}`);
  throw new Failure(
    `${compiler} cannot link with -fsanitize=${sanitizers}; its runtime is missing:\n${tail(stderr, 4)}`,
    `apt-get install -y ${await runtimeOf(compiler)}`,
  );
}

function link(compiler, sanitizers) {
  const args = [`-fsanitize=${sanitizers}`, '-x', 'c++', '-', '-o', '/dev/null'];
  return run(compiler, args, { input: sanitizers.includes('fuzzer') ? PROGRAM.fuzzer : PROGRAM.main });
}

const isClang = (compiler) => compiler.startsWith('clang');
const packageOf = async (compiler) => (isClang(compiler) ? `clang ${await runtimeOf(compiler)}` : 'g++');

async function runtimeOf(compiler) {
  const { stdout } = await run(compiler, ['-dumpversion']);
  const major = /^\d+/.exec(stdout)?.[0];
  if (!isClang(compiler)) return major ? `libgcc-${major}-dev` : 'g++';
  return major ? `libclang-rt-${major}-dev` : "'^libclang-rt-[0-9]+-dev$'";
}
