#!/usr/bin/env node
/** Lays out the C++ sources with the one clang-format that the tests judge by. */
import { Failure, runMain } from './setup/failure.mjs';
import { run, tail } from './setup/run.mjs';
import { root } from './setup.mjs';
import { clangFormat, cppSources } from './tests/clang-format.mjs';

await runMain(async () => {
  const { program, env } = await clangFormat();
  const result = await run(program, ['-i', ...cppSources(root)], { cwd: root, env });
  if (result.code !== 0) throw new Failure(tail(result.stderr));
});
