#!/usr/bin/env node
/**
 * npx trunkline …: sets up what the command needs. Only serving needs the engine, and a separate command fetches the
 * models.
 */
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { runMain } from './setup/failure.mjs';
import { endOnSignals, endWithNpm } from './setup/signals.mjs';
import { setUp } from './setup.mjs';

modules.enableCompileCache?.();
const forget = endOnSignals();
endWithNpm();
await runMain(async () => {
  if (['--version', '-V'].includes(process.argv[2])) return printVersion();
  const caller = process.cwd();
  const native = process.argv[2] === 'serve';
  await setUp({ native, models: false, log: (line) => console.error(line) });
  process.chdir(caller);
  const { main } = await import('../dist/apps/cli/index.js');
  forget();
  return main(process.argv.slice(2));
});

function printVersion() {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  console.log(version);
  return 0;
}
