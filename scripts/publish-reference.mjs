#!/usr/bin/env node
/** Writes today's reference pack (models/reference/YYYY-MM-DD.json) from the catalogue. A published
 * pack never changes; --unreleased replaces today's, which is right only while no release contains it. */
import { statSync } from 'node:fs';
import { runMain } from './setup/failure.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  await setUp({ native: false, models: false });
  const { publishPack, referencePack } = await import('../dist/edge/surfaces/catalogue/reference.js');
  const { readManifest } = await import('../dist/foundation/platform/models/index.js');
  const { CONTROLS } = await import('../dist/main/controls.js');
  const { PRODUCTS, StockVoices } = await import('../dist/speech/voices/index.js');
  const date = new Date().toISOString().slice(0, 10);
  const pack = referencePack(date, readManifest(), new StockVoices().list, PRODUCTS, CONTROLS);
  const file = publishPack(pack, { unreleased: process.argv.includes('--unreleased') });
  console.log(`models/reference/${date}.json: ${statSync(file).size} bytes`);
});
