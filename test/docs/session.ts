import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../running-server.ts';
import type { Guide } from './guide.ts';

export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly python?: string;
  readonly through?: readonly string[];
}

/** A mark follows each block, so that its output can be told apart from the next one's. */
const MARK = '\u0001';
/**
 * Each fault that a reader would see must end the run: an HTTP error, a variable that no line sets, a program that
 * fails. This project's programs are found where the reader has the project.
 */
const STRICT = `set -euo pipefail
curl() { case "$1" in -f*) command curl "$@" ;; *) command curl -sS --fail-with-body "$@" ;; esac; }
npx() { test "$1" = trunkline; shift; command node '${join(root, 'scripts/trunkline.mjs')}' "$@"; }
node() { command node '${root}/'"$@"; }`;

export async function followed(guide: Guide, terminal: Terminal): Promise<Map<number, string>> {
  const run: number[] = [];
  const script = [STRICT];
  for (const block of guide.blocks) {
    if (block.kind === 'file') writeFileSync(join(terminal.cwd, block.name), block.text);
    if (block.kind !== 'run') continue;
    script.push(commandOf(block, terminal), `printf '${MARK}'`);
    run.push(block.line);
  }
  const said = await talk(script.join('\n'), terminal);
  return new Map(said.split(MARK).map((text, at) => [run[at] ?? 0, text]));
}

function commandOf(
  { language, text, line }: { language: 'sh' | 'ts' | 'python'; text: string; line: number },
  { cwd, python = 'python3' }: Terminal,
): string {
  if (language === 'sh') return text;
  const file = join(cwd, language === 'ts' ? `line-${line}.mjs` : `line-${line}.py`);
  writeFileSync(file, text);
  return `'${language === 'ts' ? process.execPath : python}' '${file}'`;
}

async function talk(script: string, { cwd, env, through = [] }: Terminal): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const [command = '', ...args] = [...through, 'bash', '-c', script];
  const child = spawn(command, args, { cwd, env: { PATH, HOME, ...env } });
  let said = '';
  let whole = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
    whole += chunk;
  });
  child.stderr.on('data', (chunk) => {
    whole += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`ended with ${code}:\n${whole.slice(-3000)}`);
  return said;
}
