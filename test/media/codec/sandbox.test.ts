// @requirement Sandbox: Programs that read untrusted bytes run without network, environment and further processes.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { AudioDecoder, sandboxKind, startLimited } from '../../../src/media/codec/index.ts';
import { limitedCommand } from '../../../src/media/codec/limited-process.ts';
import { countsOwnProcesses } from '../../../src/media/codec/sandbox.ts';
import { pronounceOnce } from '../../../src/media/engine/index.ts';
import { absent, ffmpeg, RECORDING, workFolder } from './recordings.ts';
import { descendants } from './running-programs.ts';

const folder = workFolder();
afterAll(folder.remove);
const LIMITS = { cpuSeconds: 20, memoryKilobytes: 2_000_000, openFiles: 64 };
const AS_SOMEBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];

describe.skipIf(absent)('ffmpeg that decodes', () => {
  it('has no variable, no network of the machine, and few threads', async () => {
    const decoder = new AudioDecoder({ ffmpeg, temporary: folder.path, atOnce: 1 });
    const stream = new PassThrough();
    stream.write(readFileSync(RECORDING).subarray(0, -1000));
    const options = { sampleRate: 16000, channels: 'mix', sample: 's16', maxSeconds: 60 } as const;
    const { pcm } = await decoder.decode({ stream }, options);
    const [program, ...others] = descendants('ffmpeg');
    expect(others).toEqual([]);
    const own = (name: string) => `/proc/${program?.pid}/${name}`;
    // The shell that set the limits leaves its working directory in the environment.
    expect(readFileSync(own('environ'), 'utf8')).toMatch(/^(PWD=\/\0)?$/);
    if (sandboxKind() !== 'limits')
      expect(readlinkSync(own('ns/net'))).not.toBe(readlinkSync('/proc/self/ns/net'));
    const most = countsOwnProcesses() ? /^Max processes +16 +16 /m : /^Max processes/m;
    expect(readFileSync(own('limits'), 'utf8')).toMatch(most);
    await pcm.return();
  });
});

describe.skipIf(sandboxKind() === 'limits')('a program behind the wall', () => {
  it('reaches nobody, not even this machine', async () => {
    const server = createServer((socket) => void socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const reported = "'connect', () => print('here')).on('error', ({ code }) => print(code))";
    const print = 'const print = (what) => process.stdout.write(what, () => process.exit());';
    const script = `${print} require('node:net').connect(${port}, '127.0.0.1').on(${reported}`;
    expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('here');
    const program = await startLimited(process.execPath, ['-e', script], LIMITS, 'pipe');
    expect(await text(program.stdout), program.stderrText()).toBe('ENETUNREACH');
    await new Promise((resolve) => server.close(resolve));
  });

  it.skipIf(!countsOwnProcesses() || process.getuid?.() !== 0)(
    'starts as many processes as it may, and no more, whatever else its user runs',
    () => {
      const script = 'for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait; echo all';
      const run = (processes: number) => {
        const [command, ...rest] = [
          ...AS_SOMEBODY,
          ...limitedCommand('/bin/sh', ['-c', script], { ...LIMITS, processes }),
        ];
        return spawnSync(command as string, rest, { env: {}, encoding: 'utf8' });
      };
      expect(run(9)).toMatchObject({ status: 0, stdout: 'all\n' });
      expect(run(8).stderr).toMatch(/fork/i);
    },
  );
});

it('pronounces without a variable, a socket or another process', async () => {
  const library = join(folder.path, 'trier.so');
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'wall-trier.c')]);
  const refused = constants.errno.EPERM;
  expect(await pronounceOnce({ library, data: folder.path, voice: 'any', text: 'any' })).toBe(
    `socket 0 ${refused} fork 0 ${refused} environment 0`,
  );
});
