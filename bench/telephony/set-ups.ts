import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lackingForSip } from '../../src/telephony/carriers/index.ts';
import { NUMBER, OURS, THEIRS, withTrunk } from './trunk.ts';

export function lacking(): string | null {
  const { missing } = lackingForSip();
  if (missing !== null) return missing;
  return spawnSync('sh', ['-c', 'command -v sipp']).status === 0 ? null : 'apt-get install sip-tester';
}

export interface SetUps {
  readonly asked: number;
  readonly done: number;
  readonly aSecond: number;
}

export async function setUps(calls: number, rate: number): Promise<SetUps> {
  let done = 0;
  const folder = mkdtempSync(join(tmpdir(), 'sipp-'));
  const numbers = ['-m', calls, '-r', rate, '-l', 2000, '-d', 0, '-p', THEIRS].map(String);
  const place = [`127.0.0.1:${OURS}`, '-i', '127.0.0.1', '-s', NUMBER, '-nostdin', '-timeout', '120s'];
  try {
    return await withTrunk(
      () => (call) => {
        queueMicrotask(() => void call.answer());
        return {
          state: ({ kind }) => {
            if (kind === 'answered') done++;
          },
          key: () => undefined,
        };
      },
      async () => {
        const began = performance.now();
        const sipp = spawn('sipp', ['-sn', 'uac', ...place, ...numbers], { cwd: folder, stdio: 'ignore' });
        await once(sipp, 'close');
        return { asked: calls, done, aSecond: done / ((performance.now() - began) / 1000) };
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
