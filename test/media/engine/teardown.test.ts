import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const fixture = fileURLToPath(new URL('fixtures/teardown.mjs', import.meta.url));

function run(name: string): Promise<{ code: number | null; signal: string | null; output: string }> {
  const child = spawn(process.execPath, ['--expose-gc', fixture, name], { stdio: 'pipe' });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, output })));
}

describe('an engine ends cleanly', () => {
  it.each([
    ['when the process exits with lanes that live', 'exit'],
    ['when the process dies of an uncaught error', 'uncaught error'],
    ['when its worker thread ends, is terminated, or exits', 'worker'],
    ['when it is collected without having been destroyed', 'collected'],
    ['when its callback throws, which stops nothing', 'throwing'],
    ['when every verb is given nonsense', 'hostile'],
    ['when nothing lives any more: it does not hold the process', 'idle'],
  ])('%s', async (_, name) => {
    expect(await run(name)).toEqual({ code: 0, signal: null, output: 'end\n' });
  });
});
