import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT_ROOT = find(dirname(fileURLToPath(import.meta.url)));

function find(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error(`no package.json above ${fileURLToPath(import.meta.url)}`);
  return find(parent);
}

/** Finds a compiled program of `module`: beside the calling module, or in dist/ where that is a source or a bundle. */
export function compiledProgram(asking: string, module: string, name: string): string {
  const path = fileURLToPath(new URL(name, asking));
  return existsSync(path) ? path : join(PROJECT_ROOT, 'dist', module, name);
}
