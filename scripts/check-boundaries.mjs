#!/usr/bin/env node
/** Holds the arrows of scripts/boundaries/rules.mjs: check-boundaries.mjs [FOLDER]. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkNative } from './boundaries/native.mjs';
import { checkTypeScript } from './boundaries/typescript.mjs';

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const problems = [...checkTypeScript(root), ...checkNative(root)];
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${problems.length} uses cross a boundary (the arrows are in scripts/boundaries/rules.mjs)`);
  process.exitCode = 1;
}
