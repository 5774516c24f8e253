import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { command } from './command.mjs';

const ELF = Buffer.from('\x7fELF', 'latin1');

export async function librariesOf(tree) {
  const linked = [...programsOf(tree)];
  const work = mkdtempSync(join(tmpdir(), 'libraries-'));
  try {
    mkdirSync(join(work, 'debian'));
    writeFileSync(
      join(work, 'debian/control'),
      'Source: trunkline\n\nPackage: trunkline\nArchitecture: any\n',
    );
    const own = [...new Set(linked.map((path) => `-l${dirname(path)}`))];
    const args = ['-O', '--ignore-missing-info', ...own, ...linked.map((path) => `-e${path}`)];
    const said = await command('dpkg-shlibdeps', args, { cwd: work });
    return (/^shlibs:Depends=(.*)$/m.exec(said)?.[1] ?? '').split(', ').filter(Boolean);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function* programsOf(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* programsOf(path);
    else if (entry.isFile() && startsAsElf(path)) yield path;
  }
}

function startsAsElf(path) {
  const start = Buffer.alloc(ELF.length);
  const file = openSync(path, 'r');
  try {
    return readSync(file, start, 0, start.length, 0) === start.length && start.equals(ELF);
  } finally {
    closeSync(file);
  }
}
