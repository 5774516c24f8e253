/** Checks whether the measured code is that of the working tree. */
import { execFileSync } from 'node:child_process';
import type { Machine, Report } from '../../harness/index.ts';
import type { PartName } from '../parts.ts';

const MEASURED = [
  'native',
  'src/conversation/session',
  'src/media/engine',
  'src/conversation/brains',
  'src/edge/surfaces/omni',
  'bench/omni',
];
const APART = ['native/test'];

export interface Taken {
  readonly name: PartName;
  readonly machine: Machine | null;
  readonly seconds: number | null;
}

/** Returns the folders that differ from a commit, or null when the commit is unknown. */
export function changedSince(commit: string | null): string[] | null {
  if (commit === null) return null;
  const [id, modified] = commit.split(' ');
  try {
    const paths = [...MEASURED.map((path) => `:/${path}`), ...APART.map((path) => `:(top,exclude)${path}`)];
    const names = execFileSync('git', ['diff', '--name-only', id as string, '--', ...paths], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const changed = MEASURED.filter((folder) =>
      names.split('\n').some((name) => name.startsWith(`${folder}/`)),
    );
    return modified === undefined ? changed : [...changed, 'uncommitted changes'];
  } catch {
    return null;
  }
}

export function writeFreshness(report: Report, taken: readonly Taken[]): void {
  report.heading('When each part was measured');
  const rows = taken.map((part) => ({ ...part, changed: part.machine && changedSince(part.machine.commit) }));
  const old = rows.filter(({ machine, changed }) => machine !== null && changed?.length !== 0);
  report.text(
    old.length === 0
      ? 'Every part was measured on what stands in the tree now.'
      : `**Older than the last change of what they measure, or of how: ${old.map(({ name }) => name).join(', ')}.** Their figures are of ` +
          'the commit beside them.',
  );
  report.table(
    ['part', 'commit', 'date', 'seconds', 'load when it began', 'changed since'],
    rows.map(({ name, machine, seconds, changed }) => [
      name,
      machine === null ? 'not measured' : (machine.commit ?? 'no commit'),
      machine?.date ?? '',
      seconds === null ? '' : Math.round(seconds),
      machine?.load ?? '',
      machine === null ? '' : (changed?.join(', ') ?? 'not known'),
    ]),
  );
}
