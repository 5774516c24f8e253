import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SipProgram } from '../../../../src/telephony/carriers/sip/program.ts';
import { lacking } from './peers.ts';

const PATH = fileURLToPath(new URL('../../../../lib/binding/trunkline-sip', import.meta.url));

/** Limits the open files of this process. A shell that already runs does it, because no other could be started. */
function openFilesLimiter(): (most: number) => Promise<void> {
  const shell = spawn('sh', { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void shell.kill());
  return async (most) => {
    shell.stdin.write(`prlimit --pid=${process.pid} --nofile=${most}: && echo set\n`);
    await once(shell.stdout, 'data');
  };
}

const lack = lacking();
describe.skipIf(lack !== null)(`the signalling program${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  it('that finds no file free for its pipes refuses to start, ends nobody, and starts later', async () => {
    const program = new SipProgram(PATH, { event: () => undefined, lost: () => undefined });
    const limit = openFilesLimiter();
    const before = 4096;
    await limit(readdirSync('/proc/self/fd').length);
    const refused = await program.start().catch((error: unknown) => error);
    await limit(before);
    expect(refused).toMatchObject({ code: 'EMFILE' });
    await program.start();
    expect(program.running).toBe(true);
    await program.stop();
  });
});
