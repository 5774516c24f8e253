/**
 * Bundles packages of hundreds of small files into one file each, in dist/node_modules, where Node looks first:
 * reading and linking a thousand files takes most of the program's start.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const JOINED = {
  typebox: { '.': 'typebox', './value': 'typebox/value' },
  kysely: { '.': 'kysely' },
};

export async function joinPackages(root, dist) {
  const { rolldown } = await import('rolldown');
  for (const [name, entries] of Object.entries(JOINED)) {
    const folder = join(dist, 'node_modules', name);
    const files = Object.keys(entries).map((entry) => [entry, entry === '.' ? 'index' : entry.slice(2)]);
    const bundle = await rolldown({
      cwd: root,
      input: Object.fromEntries(files.map(([entry, file]) => [file, entries[entry]])),
      platform: 'node',
      logLevel: 'silent',
    });
    await bundle.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'shared.mjs',
    });
    const { version, license } = JSON.parse(
      readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'),
    );
    const exports = Object.fromEntries(files.map(([entry, file]) => [entry, `./${file}.mjs`]));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, license, exports }, null, 2));
  }
}
