#!/usr/bin/env node
/** npx trunkline …: builds what is missing, but leaves the models to the commands that need them. */
import { runMain } from './setup/failure.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  const caller = process.cwd();
  await setUp({ models: false, log: (line) => console.error(line) });
  process.chdir(caller);
  const { main } = await import('../dist/cli/index.js');
  return main(process.argv.slice(2));
});
