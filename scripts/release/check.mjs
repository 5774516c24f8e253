#!/usr/bin/env node
/**
 * Checks that one version stands everywhere before a release is published:
 *
 *   node scripts/release/check.mjs           files and changelog agree
 *   node scripts/release/check.mjs --tag     HEAD is also tagged with the version, and nothing is unreleased
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Failure, runMain } from '../setup/failure.mjs';
import { root } from '../setup.mjs';

const VERSION = /^\d+\.\d+\.\d+$/;
const ENTRY = /^## (?:Unreleased|(\S+)(?:, (\S+))?)$/gm;
/** These files name the version beside package.json. */
const NAMED = [
  ['package-lock.json', (text) => JSON.parse(text).version],
  ['package-lock.json', (text) => JSON.parse(text).packages[''].version],
  ['scripts/release/chart/Chart.yaml', (text) => /^version: (\S+)$/m.exec(text)?.[1]],
  ['scripts/release/chart/Chart.yaml', (text) => /^appVersion: (\S+)$/m.exec(text)?.[1]],
  ['scripts/release/kubernetes/single.yaml', (text) => /image: "trunkline:([^"]+)"/.exec(text)?.[1]],
  ['scripts/release/kubernetes/cluster.yaml', (text) => /image: "trunkline:([^"]+)"/.exec(text)?.[1]],
];

function entriesOf(changelog) {
  const heads = [...changelog.matchAll(ENTRY)];
  return heads.map(({ index, 0: head, 1: version, 2: date }, at) => ({
    version,
    date,
    text: changelog.slice(index + head.length, heads[at + 1]?.index).trim(),
  }));
}

const newer = (a, b) => {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number));
  const at = x.findIndex((part, index) => part !== y[index]);
  return at >= 0 && x[at] > y[at];
};

function changelogProblems(version, changelog) {
  const released = entriesOf(changelog).filter((entry) => entry.version !== undefined);
  const problems = [];
  for (const entry of released) {
    if (!VERSION.test(entry.version))
      problems.push(`CHANGELOG.md: ${entry.version} is not MAJOR.MINOR.PATCH`);
    if (!/^\d{4}-\d{2}-\d{2}$/.test(entry.date ?? ''))
      problems.push(`CHANGELOG.md: the heading of ${entry.version} reads "## ${entry.version}, YYYY-MM-DD"`);
    if (entry.text === '') problems.push(`CHANGELOG.md: ${entry.version} has no text`);
  }
  released.slice(1).forEach((entry, at) => {
    if (!newer(released[at].version, entry.version))
      problems.push(`CHANGELOG.md: ${entry.version} stands below ${released[at].version} and is not older`);
  });
  if (released[0]?.version !== version)
    problems.push(
      `CHANGELOG.md: the newest version is ${released[0]?.version}, and package.json says ${version}`,
    );
  return problems;
}

/** `read` gives the text of a path of the repository; `tags` are those of HEAD, or undefined before the tag is made. */
export function releaseProblems(read, tags) {
  const { version } = JSON.parse(read('package.json'));
  const changelog = read('CHANGELOG.md');
  const problems = VERSION.test(version) ? [] : [`package.json: ${version} is not MAJOR.MINOR.PATCH`];
  for (const [path, find] of NAMED) {
    const named = find(read(path));
    if (named !== version)
      problems.push(`${path}: the version is ${named}, and package.json says ${version}`);
  }
  problems.push(...changelogProblems(version, changelog));
  if (tags !== undefined) {
    if (!tags.includes(`v${version}`))
      problems.push(`HEAD has no tag v${version}; its tags: ${tags.join(', ') || 'none'}`);
    if (entriesOf(changelog).some((entry) => entry.version === undefined && entry.text !== ''))
      problems.push(`CHANGELOG.md: move what stands below "Unreleased" to ${version}`);
  }
  return problems;
}

function tagsOfHead() {
  const { status, stdout, stderr } = spawnSync('git', ['tag', '--points-at', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Failure(`git cannot list the tags of HEAD: ${stderr.trim()}`);
  return stdout.trim().split('\n').filter(Boolean);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await runMain(async () => {
    const { values } = parseArgs({ options: { tag: { type: 'boolean' } } });
    const problems = releaseProblems(
      (path) => readFileSync(join(root, path), 'utf8'),
      values.tag ? tagsOfHead() : undefined,
    );
    if (problems.length > 0) throw new Failure(problems.join('\n'));
    console.log('The version agrees everywhere.');
  });
