import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface ChildProgram {
  readonly file: string;
  remove(): void;
}

const OUTSIDE = ['better-sqlite3', 'pg-native', 'uWebSockets.js', 'onnxruntime-node', '@node-rs/argon2'];

/**
 * Builds a TypeScript program of the tests for a process of its own, which tests kill. Node runs no TypeScript here.
 * Bundled packages start the process in a third of the time; the packages outside of the bundle require that it lies
 * inside the project.
 */
export async function buildChild(source: string): Promise<ChildProgram> {
  // The folder is as deep as a compiled module of dist/, because paths to lib/ are relative to that.
  const parent = join(root, 'build-test', 'children');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'child-'));
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: OUTSIDE },
    build: { ssr: source, outDir: folder, emptyOutDir: false, minify: false, target: 'node20' },
  });
  return {
    file: join(folder, `${basename(source, '.ts')}.js`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error: string;
}

/** Runs the program with `input` as JSON in its one argument; resolves when the process has ended. */
export function runChild(program: ChildProgram, input: unknown): Promise<Ended> {
  const child: ChildProcess = fork(program.file, [JSON.stringify(input)], { silent: true, execArgv: [] });
  let error = '';
  child.stderr?.on('data', (chunk) => {
    error += chunk;
  });
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal, error }));
  });
}
