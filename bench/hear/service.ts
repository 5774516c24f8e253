/** The product runs in a process of its own, with a live key, so that the figures are those of the served product. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processorLevelEnvironment } from '../harness/index.ts';

export interface Service {
  readonly url: string;
  readonly key: string;
  /** A live key has at most twenty concurrent sessions: more callers need more keys. */
  readonly keys: readonly string[];
  readonly pid: number;
  cpuSeconds(): number;
  stop(): void;
}

const TICKS_PER_SECOND = 100;

export async function startService(environment: Record<string, string> = {}, keyCount = 1): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'hear-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TRUNKLINE_DATA: folder,
    TRUNKLINE_LOG_LEVEL: 'silent',
    ...processorLevelEnvironment(),
    ...environment,
  };
  const server = new URL('./server.js', import.meta.url);
  const keys = Array.from({ length: keyCount }, () => {
    const made = spawnSync(process.execPath, [fileURLToPath(server), 'key'], { env, encoding: 'utf8' });
    const key = made.stdout.trim();
    if (!key.startsWith('svc_live_')) throw new Error(`no key: ${made.stderr}`);
    return key;
  });
  const child = fork(server, {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const url = await address(child);
  return {
    url,
    key: keys[0]!,
    keys,
    pid: child.pid!,
    cpuSeconds: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    },
    stop: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function address(child: ChildProcess): Promise<string> {
  const [answer] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
  if (typeof answer !== 'string') throw new Error(`the server ended with ${String(answer)}`);
  return answer;
}
