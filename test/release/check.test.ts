import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../running-server.ts';

type Read = (path: string) => string;

const { releaseProblems } = (await import(`${root}/scripts/release/check.mjs`)) as {
  releaseProblems(read: Read, tags?: readonly string[]): string[];
};

const checkout: Read = (path) => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(checkout('package.json')) as { version: string };
const changed = (path: string, change: (text: string) => string): Read => {
  return (asked) => (asked === path ? change(checkout(asked)) : checkout(asked));
};
const released: Read = changed('CHANGELOG.md', (text) =>
  text.replace(/^## Unreleased$[\s\S]*?(?=^## \d)/m, '## Unreleased\n\n'),
);

it('the version of this checkout is the same in every file, and the changelog is in order', () => {
  expect(releaseProblems(checkout)).toEqual([]);
});

it('a release is tagged with its version and leaves nothing unreleased', () => {
  expect(releaseProblems(released, [`v${version}`, 'nightly'])).toEqual([]);
  expect(releaseProblems(released, ['v9.9.9'])).toEqual([`HEAD has no tag v${version}; its tags: v9.9.9`]);
  const early = changed('CHANGELOG.md', (text) =>
    text.replace('## Unreleased', '## Unreleased\n\n- A change.'),
  );
  expect(releaseProblems(early, [`v${version}`])).toEqual([
    `CHANGELOG.md: move what stands below "Unreleased" to ${version}`,
  ]);
});

it.each<[string, string, (text: string) => string, RegExp]>([
  [
    'a lock file of another version',
    'package-lock.json',
    (text) => text.replace(version, '9.9.9'),
    /9\.9\.9/,
  ],
  [
    'a chart of another version',
    'scripts/release/chart/Chart.yaml',
    (text) => text.replace(/^appVersion.*$/m, 'appVersion: 9.9.9'),
    /Chart\.yaml/,
  ],
  [
    'manifests of another version',
    'scripts/release/kubernetes/single.yaml',
    (text) => text.replaceAll(/trunkline:[\d.]+/g, 'trunkline:9.9.9'),
    /single\.yaml/,
  ],
  ['a version that is none', 'package.json', (text) => text.replace(version, 'next'), /MAJOR\.MINOR\.PATCH/],
  [
    'a changelog without the version',
    'CHANGELOG.md',
    (text) => text.replace(/^## \d/m, '## 9'),
    /the newest version is 9/,
  ],
  [
    'a changelog without a date',
    'CHANGELOG.md',
    (text) => text.replace(/^(## \d\S*),.*$/m, '$1'),
    /YYYY-MM-DD/,
  ],
  [
    'versions out of order',
    'CHANGELOG.md',
    (text) => `${text}\n## 9.9.9, 2026-01-01\n\nA later one.\n`,
    /is not older/,
  ],
])('names %s', (_what, path, change, problem) => {
  expect(releaseProblems(changed(path, change)).join('\n')).toMatch(problem);
});
