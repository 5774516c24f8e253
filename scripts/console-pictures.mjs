#!/usr/bin/env node
/** Renders the pictures of docs/guides/console.md and docs/guides/browser.md from the current pages. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './console.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
await buildConsole((line) => console.log(line));
const done = spawnSync('npx', ['--no-install', 'vitest', 'run', 'test/apps/console/pictures.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TRUNKLINE_PICTURES: '1' },
});
process.exitCode = done.status ?? 1;
