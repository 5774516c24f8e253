#!/usr/bin/env node
/** npm start: sets up what is missing, then runs the server in this process. */
import * as modules from 'node:module';
import { runMain } from './setup/failure.mjs';
import { endOnSignals, endWithNpm } from './setup/signals.mjs';
import { setUp } from './setup.mjs';

modules.enableCompileCache?.();
const forget = endOnSignals();
endWithNpm();
await runMain(async () => {
  await setUp();
  const { main } = await import('../dist/apps/cli/index.js');
  forget();
  return main(['serve', ...process.argv.slice(2)]);
});
