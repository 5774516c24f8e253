#!/usr/bin/env node
/** Builds the client packages of a server's contract: node scripts/clients.mjs URL FOLDER. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClient } from './clients/build.mjs';
import { Failure, runMain } from './setup/failure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

await runMain(async () => {
  const [url, folder] = process.argv.slice(2);
  if (!folder)
    throw new Failure(
      'say a running server and a folder: node scripts/clients.mjs http://127.0.0.1:8080 out',
    );
  const ask = async (path) => (await fetch(url.replace(/\/$/, '') + path)).json();
  const contract = { openapi: await ask('/openapi.json'), asyncapi: await ask('/asyncapi.json') };
  mkdirSync(folder, { recursive: true });
  for (const language of ['typescript', 'python']) {
    const built = await buildClient(root, language, contract);
    copyFileSync(built, join(folder, basename(built)));
    console.log(join(folder, basename(built)));
  }
});
