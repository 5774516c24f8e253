#!/usr/bin/env node
/** npm start: what is missing is set up, then the server runs in this very process. */
import * as modules from 'node:module';
import { runMain } from './setup/failure.mjs';
import { endOnSignals, endWithNpm } from './setup/signals.mjs';
import { setUp } from './setup.mjs';

modules.enableCompileCache?.(); // Node 22 and later keep what they compiled
const forget = endOnSignals();
endWithNpm();
await runMain(async () => {
  await setUp();
  const { main } = await import('../dist/apps/cli/index.js');
  forget();
  return main(['serve', ...process.argv.slice(2)]);
});
