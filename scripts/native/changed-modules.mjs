/** Which C++ test programs belong to what changed since this work left the main branch, or since the last release. */
import { run } from '../setup/run.mjs';
import { programOf, testPrograms } from '../tests/native-some.mjs';

/** Returns null if the history does not tell what changed: in a copy without git, or on the main branch before a release. */
export async function changedPrograms(root) {
  const git = async (...args) => {
    const { code, missing, stdout } = await run('git', args, { cwd: root });
    return code === 0 && !missing ? stdout.trim() : null;
  };
  const base = await baseOf(git);
  if (base === null) return null;
  const changed = await git('diff', '--name-only', base, '--', 'native');
  const added = await git('ls-files', '--others', '--exclude-standard', '--', 'native');
  if (changed === null || added === null) return null;
  return programsOf(`${changed}\n${added}`.split('\n'), testPrograms(root));
}

async function baseOf(git) {
  const head = await git('rev-parse', 'HEAD');
  for (const main of ['origin/main', 'main']) {
    const base = await git('merge-base', 'HEAD', main);
    if (base !== null && base !== head) return base;
  }
  return await git('describe', '--tags', '--abbrev=0');
}

/** The short form runs at most as many programs as where nothing is known to have changed, those of the boundary first. */
export const shortForm = (changed, boundary) =>
  changed === null
    ? boundary
    : [...changed]
        .sort((a, b) => Number(boundary.includes(b)) - Number(boundary.includes(a)))
        .slice(0, boundary.length);

export function programsOf(paths, programs) {
  const found = paths.flatMap((path) => {
    const [, below] = /^native\/(?:test\/)?([^/]+\/.+\.(?:cc|h))$/.exec(path) ?? [];
    return below === undefined ? [] : [programOf(below)];
  });
  return [...new Set(found)].filter((program) => programs.has(program)).sort();
}
