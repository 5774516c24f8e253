#!/usr/bin/env node
/** Writes today's reference pack (models/reference/YYYY-MM-DD.json) from the catalogue. Packs of other days stay as they are. */
import { readFileSync, writeFileSync } from 'node:fs';
import { runMain } from './setup/failure.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  await setUp({ native: false, models: false });
  const { referencePack } = await import('../dist/surfaces/catalogue/reference.js');
  const { readManifest } = await import('../dist/platform/models/index.js');
  const { PRODUCTS, StockVoices } = await import('../dist/platform/voices/index.js');
  const date = new Date().toISOString().slice(0, 10);
  const pack = referencePack(date, readManifest(), new StockVoices().list, PRODUCTS);
  const file = new URL(`../models/reference/${date}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(pack)}\n`);
  console.log(`models/reference/${date}.json: ${readFileSync(file).length} bytes`);
});
