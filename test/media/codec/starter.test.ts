// @requirement Sandbox: Programs that read untrusted bytes run without network, environment and further processes.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { type ProcessLimits, startLimited } from '../../../src/media/codec/index.ts';

const LIMITS: ProcessLimits = { cpuSeconds: 5, memoryKilobytes: 100_000 };
const shell = (script: string, limits = LIMITS) => startLimited('/bin/sh', ['-c', script], limits, 'pipe');

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

function starterOf(pid: number): number {
  const parent = parentOf(pid);
  return parentOf(parent) === process.pid ? parent : starterOf(parent);
}

it('is another process that starts programs, and each gets its own input and output', async () => {
  const programs = await Promise.all(Array.from({ length: 8 }, () => shell('cat; echo said >&2; exit 3')));
  const heard = await Promise.all(
    programs.map(async (program, at) => {
      program.stdin?.end(`words ${at}`);
      const words = await text(program.stdout);
      return { words, end: await program.ended, said: program.stderrText() };
    }),
  );
  expect(heard).toEqual(
    programs.map((_, at) => ({ words: `words ${at}`, end: { code: 3, signal: null }, said: 'said\n' })),
  );
});

it('loses none of the 8 MiB that a program writes before it ends', async () => {
  const program = await shell('head -c 8388608 /dev/zero');
  let bytes = 0;
  for await (const chunk of program.stdout) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(8_388_608);
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

it('tells the signal that ended a program with its children, and that a program is not there', async () => {
  const killed = await shell('echo here; sleep 60; echo there');
  await once(killed.stdout, 'data');
  killed.discard();
  expect(await killed.ended).toEqual({ code: null, signal: 'SIGKILL' });
  const missing = await startLimited('/nowhere/program', [], LIMITS, 'pipe');
  missing.stdout.resume();
  expect(await missing.ended).toMatchObject({ code: 127 });
});

it('gives way to others where it is told to', async () => {
  const program = await shell('cat; nice', { ...LIMITS, niceness: 7 });
  program.stdin?.end();
  const own = Number(execFileSync('nice', { encoding: 'utf8' }));
  expect(Number(await text(program.stdout))).toBe(own + 7);
});

it('ends what ran when the process that starts programs is killed, and starts the next by another', async () => {
  const running = await shell('cat');
  const starter = starterOf(running.pid);
  process.kill(starter, 'SIGKILL');
  running.stdout.resume();
  expect(await running.ended).toEqual({ code: null, signal: 'SIGTERM' });
  const next = await shell('echo again');
  expect(starterOf(next.pid)).not.toBe(starter);
  expect(await text(next.stdout)).toBe('again\n');
});
