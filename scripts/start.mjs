#!/usr/bin/env node
/** npm start: what is missing is set up, then the server runs in this very process. */
import { runMain } from './setup/failure.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  await setUp();
  const { main } = await import('../dist/cli/index.js');
  return main(['serve', ...process.argv.slice(2)]);
});
