#!/usr/bin/env node
/** Builds the client packages of a server's contract, and those for frameworks: node scripts/clients.mjs URL FOLDER. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClient, buildIntegration, INTEGRATIONS } from './clients/build.mjs';
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
  const place = (built) => {
    copyFileSync(built, join(folder, basename(built)));
    console.log(join(folder, basename(built)));
  };
  for (const language of ['typescript', 'python']) place(await buildClient(root, language, contract));
  for (const name of Object.keys(INTEGRATIONS)) place(await buildIntegration(root, name));
});
