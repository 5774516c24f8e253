import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { buildChild, type ChildProgram } from '../../child-program.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { fleet } from './fleet.ts';

const mountable = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
if (!mountable) console.warn('jobs on a full disk are not tested: this system lets no test mount one.');

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/speech/transcription/full-disk-program.ts');
});
afterAll(() => program?.remove());

onBothDatabases('jobs whose disk is full', ({ empty, after }) => {
  it.runIf(mountable)(
    'wait for space, and end',
    async () => {
      const { options } = await empty();
      const storage = await openStorage(options);
      after(() => storage.close());
      const { order, setting, check } = await fleet(storage, after);
      for (let n = 0; n < 3; n += 1) order('url', 2);
      const disk = await mkdtemp(join(tmpdir(), 'trunkline-disk-'));
      after(() => rm(disk, { recursive: true, force: true }));
      const input = JSON.stringify({ ...(await setting()), folder: disk, storage: options });
      const mounted = 'mount -t tmpfs -o size=16m tmpfs "$1" && exec "$2" "$3" "$4"';
      const child = spawn(
        'unshare',
        ['-rm', 'sh', '-c', mounted, 'sh', disk, process.execPath, program.file, input],
        { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] },
      );
      let error = '';
      child.stderr?.on('data', (chunk) => {
        error += chunk;
      });
      const said: unknown[] = [];
      child.on('message', (message) => said.push(message));
      const [code] = await once(child, 'exit');
      expect([code, error]).toEqual([0, '']);
      expect(said).toEqual([expect.stringMatching(/ENOSPC/)]);
      expect(await check()).toMatchObject({ orders: 3, completed: 3 });
    },
    120_000,
  );
});
