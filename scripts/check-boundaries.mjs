#!/usr/bin/env node
/** Holds the arrows of the rules in scripts/boundaries/, and the sizes of files and classes: check-boundaries.mjs [FOLDER]. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkNative } from './boundaries/native.mjs';
import { checkSizes } from './boundaries/sizes.mjs';
import { checkTypeScript } from './boundaries/typescript.mjs';

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const problems = [...checkTypeScript(root), ...checkNative(root)];
for (const problem of problems) console.error(problem);
const oversizes = checkSizes(root);
for (const oversize of oversizes) console.error(oversize);
if (oversizes.length > 0) {
  console.error(`${oversizes.length} files or classes are too large: split them by what they do`);
  process.exitCode = 1;
}
if (problems.length > 0) {
  console.error(
    `${problems.length} uses cross a boundary (the arrows are in scripts/boundaries/, rules.mjs and native-rules.mjs)`,
  );
  process.exitCode = 1;
}
