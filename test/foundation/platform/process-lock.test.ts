import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { ProcessLock } from '../../../src/foundation/platform/process-lock.ts';
import { compileProgram, root } from '../../running-server.ts';

const PROGRAM = join(root, 'dist/foundation/platform/process-lock.js');
const HOLDER = `
const { ProcessLock } = await import(process.argv[1]);
const release = new ProcessLock(process.argv[2]).tryAcquire();
console.log(release === null ? 'refused' : 'held');
setInterval(() => release, 60_000);
`;

beforeAll(compileProgram, 120_000);

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'trunkline-lock-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it('is held by one process, and free once that is killed', async () => {
  const home = folder();
  const path = join(home, '.lock');
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, '--', PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  expect(String(line).trim()).toBe('held');
  const lock = new ProcessLock(path);
  expect(lock.tryAcquire()).toBeNull();
  const waits = vi.fn();
  const acquired = lock.acquire(new AbortController().signal, waits);
  expect(waits).toHaveBeenCalledTimes(1);
  child.kill('SIGKILL');
  const release = await acquired;
  expect(waits).toHaveBeenCalledTimes(1);
  release();
  expect(readdirSync(home)).toEqual(['.lock']);
});

it('is held once within a process, and a waiting holder ends with the reason of its signal', async () => {
  const path = join(folder(), '.lock');
  const release = new ProcessLock(path).tryAcquire() as () => void;
  const aborting = new AbortController();
  const waiting = new ProcessLock(path).acquire(aborting.signal, () => undefined);
  aborting.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  release();
  new ProcessLock(path).tryAcquire()?.();
  expect(new ProcessLock(path).tryAcquire()).not.toBeNull();
});
