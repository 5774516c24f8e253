#!/usr/bin/env node
/**
 * Reads names and comments by the rules of scripts/words/rules.mjs: words that names do not use, two classes of one
 * name, and comments that begin with a fragment.
 *
 *   lint-words.mjs                  fails for findings in the folders that are listed as clean
 *   lint-words.mjs --report         counts the findings of every folder
 *   lint-words.mjs --report PATH…   prints the findings below these paths, as `file:line: finding`
 *   lint-words.mjs --root FOLDER    reads another tree
 */
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findingsOf, isWithin } from './words/check.mjs';
import { CLEAN } from './words/rules.mjs';

const { values, positionals } = parseArgs({
  options: {
    report: { type: 'boolean' },
    root: { type: 'string' },
    clean: { type: 'string', multiple: true },
  },
  allowPositionals: true,
});
const root = resolve(values.root ?? fileURLToPath(new URL('..', import.meta.url)));
const clean = values.clean ?? CLEAN;
const findings = findingsOf(root);
const shown = ({ path, line, text }) => `${path}:${line}: ${text}`;

const folderOf = (path) =>
  path
    .split('/')
    .slice(0, -1)
    .slice(0, /^(?:src|test)\//.test(path) ? 3 : 2)
    .join('/');

if (values.report && positionals.length > 0) {
  const paths = positionals.map((path) => relative(root, resolve(root, path)));
  for (const one of findings) if (paths.some((path) => isWithin(one.path, path))) console.log(shown(one));
} else if (values.report) {
  const counts = new Map();
  for (const { path } of findings) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  for (const [folder, count] of [...counts].sort()) console.log(`${String(count).padStart(5)}  ${folder}`);
  console.log(`${String(findings.length).padStart(5)}  findings`);
} else {
  const broken = findings.filter(({ path }) => clean.some((folder) => isWithin(path, folder)));
  for (const one of broken) console.error(shown(one));
  if (broken.length > 0) {
    console.error(`${broken.length} findings in folders that are clean (scripts/words/rules.mjs)`);
    process.exitCode = 1;
  }
}
