import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { afterAll } from './helper-hooks.ts';

export const root = join(import.meta.dirname, '..');

interface Build {
  typescriptIsCurrent(root: string): boolean;
  compileTypeScript(root: string, log: (line: string) => void): Promise<void>;
}

/** Tests that run the program itself call this in `beforeAll`, so that dist/ is up to date with the sources. */
export async function compileProgram(): Promise<void> {
  const build = (await import(join(root, 'scripts/setup/typescript.mjs'))) as Build;
  if (!build.typescriptIsCurrent(root)) await build.compileTypeScript(root, () => {});
}

const last: (() => void)[] = [];
afterAll(() => {
  for (const step of last.splice(0).reverse()) step();
});

/** Runs the step when the test ends, or after the last test of the file for what `beforeAll` began. */
function undo(step: () => void): void {
  try {
    onTestFinished(step);
  } catch {
    last.push(step);
  }
}

export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-data-'));
  undo(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const PROGRAM =
  "const { main } = await import('./dist/apps/cli/index.js'); process.exitCode = await main(process.argv.slice(1));";

/** The program runs as by `npx trunkline`, with a data folder of its own; it is killed after the test, or the file. */
export class Running {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  errors = '';
  #reported: (() => void)[] = [];
  #ended = false;

  constructor(
    args: string[],
    environment: Record<string, string> = {},
    through: readonly [string, ...string[]] | [] = [],
  ) {
    const program = [...through, process.execPath, '--input-type=module', '-e', PROGRAM, '--', ...args];
    this.child = spawn(program[0]!, program.slice(1), {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TRUNKLINE_DATA: environment.TRUNKLINE_DATA ?? dataFolder(),
        TRUNKLINE_PORT: '0',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    undo(() => void this.child.kill('SIGKILL'));
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      this.#notify();
    });
    this.child.stderr!.on('data', (chunk) => {
      this.errors += chunk;
    });
    this.child.on('close', () => {
      this.#ended = true;
      this.#notify();
    });
  }

  #notify(): void {
    for (const resolve of this.#reported.splice(0)) resolve();
  }

  async line(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      for (const line of this.lines) {
        const match = pattern.exec(line);
        if (match) return match;
      }
      if (this.#ended) throw new Error(`ended without ${pattern}: ${this.lines.join('\n')}${this.errors}`);
      await new Promise<void>((resolve) => this.#reported.push(resolve));
    }
  }

  async code(): Promise<number | null> {
    if (!this.#ended) await once(this.child, 'close');
    return this.child.exitCode;
  }
}
