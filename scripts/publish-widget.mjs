#!/usr/bin/env node
/**
 * Publishes today's widget under a version: node scripts/publish-widget.mjs v12. A published version never changes:
 * it fails when the version exists with other bytes. test/edge/surfaces/widget checks the digest of each.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, runMain } from './setup/failure.mjs';
import { root } from './setup.mjs';

await runMain(async () => {
  const version = process.argv[2] ?? '';
  if (!/^v\d+$/.test(version)) throw new Failure('say the version: node scripts/publish-widget.mjs v12');
  const bytes = readFileSync(join(root, 'src/apps/widget/widget.js'));
  const path = join(root, `src/apps/widget/published/widget-${version}.js`);
  if (existsSync(path) && !readFileSync(path).equals(bytes))
    throw new Failure(`${version} is published already, with other bytes: publish the next one`);
  writeFileSync(path, bytes);
  console.log(`${path}\nsha256-${createHash('sha256').update(bytes).digest('base64')}`);
});
