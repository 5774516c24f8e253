/**
 * These test files can share a process: starting one, and loading the program into it, takes longer than most of them
 * run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORTS = /\b(?:from|import) ?\(?'([^']+)'/g;
/**
 * These stay behind in a process: its settings, its clock, a module that is replaced, a module that is loaded again. What
 * measures the process itself needs one of its own.
 */
const LASTING =
  /\bprocess\.(?:env(?:\.\w+|\[[^\]]+\]) (?:\?\?)?= |exit\b|kill\b|on\(|once\(|chdir|umask|title|memoryUsage)|(?:delete |assign\()process\.env|\bvi\.(?!fn\b|waitFor|waitUntil|spyOn|restoreAllMocks)|globalThis|\/proc\/self(?!\/fd)|\bprlimit\b|watchTurns|cpuMs|setFlags/;
/** A helper is loaded once for a process, so that a hook of vitest's own holds for its first file alone. */
const HOOK = /^(?:afterAll|afterEach|beforeAll|beforeEach)\(/m;
const HELPER_HOOKS = /from '[./]+\/helper-hooks\.ts'/;

type Read = (path: string) => string;

/** Follows the helpers that a test file imports, but no module of the product. */
export function sharesItsProcess(
  path: string,
  read: Read = (name) => readFileSync(name, 'utf8'),
  seen = new Map<string, boolean>(),
): boolean {
  const known = seen.get(path);
  if (known !== undefined) return known;
  seen.set(path, true);
  const source = read(path);
  const isHelper = !path.endsWith('.test.ts');
  const shares =
    !LASTING.test(source) &&
    !(isHelper ? HOOK.test(source) && !HELPER_HOOKS.test(source) : source.includes('await import(')) &&
    helpersOf(path, source).every((helper) => sharesItsProcess(helper, read, seen));
  seen.set(path, shares);
  return shares;
}

const helpersOf = (path: string, source: string): string[] =>
  [...source.matchAll(IMPORTS)]
    .map(([, from]) => from!)
    .filter((from) => from.startsWith('.') && from.endsWith('.ts') && !from.includes('/src/'))
    .map((from) => join(dirname(path), from))
    .filter((helper) => !helper.endsWith('/helper-hooks.ts'));

export const sharingFiles = (root: string): string[] => {
  const seen = new Map<string, boolean>();
  const read: Read = (path) => readFileSync(join(root, path), 'utf8');
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => sharesItsProcess(name, read, seen))
    .sort();
};
