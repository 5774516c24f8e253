#!/usr/bin/env node
/**
 * Checks the imports of src/ and the includes of native/ against the dependency rules of scripts/boundaries/:
 * check-boundaries.mjs [FOLDER].
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkNative } from './boundaries/native.mjs';
import { checkTypeScript } from './boundaries/typescript.mjs';

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const problems = [...checkTypeScript(root), ...checkNative(root)];
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(
    `${problems.length} imports break a dependency rule (scripts/boundaries/rules.mjs and native-rules.mjs)`,
  );
  process.exitCode = 1;
}
