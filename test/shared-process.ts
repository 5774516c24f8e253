/**
 * These test files can share a process: starting one, and loading the program into it, takes longer than most of them
 * run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const IMPORTS = /\b(?:from|import) ?\(?'([^']+)'/g;
/**
 * A file that shares its process may use these: pure parts of Node, and modules of the product; no helper that starts
 * a process.
 */
const HARMLESS =
  /^(vitest|fast-check|node:(assert|buffer|crypto|fs|fs\/promises|os|path|url|util|zlib))$|\/src\/|\/property-tests\.ts$/;
/**
 * These stay behind in a process: its settings, its clock, programs, servers, engines, a module that is loaded again.
 */
const LASTING =
  /\bprocess\.|\bvi\.|globalThis|Engine|addon|fork|spawn|exec\(|createLocalModel|[wW]orker\(|[sS]erver\(|listen\(|setInterval|await import\(/;

export function sharesItsProcess(source: string): boolean {
  const imported = [...source.matchAll(IMPORTS)].map(([, from]) => from!);
  return imported.every((from) => HARMLESS.test(from)) && !LASTING.test(source);
}

export const sharingFiles = (root: string): string[] =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => sharesItsProcess(readFileSync(join(root, name), 'utf8')))
    .sort();
