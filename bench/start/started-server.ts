import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Runs `use` once the server that the command starts is ready, with an empty data folder, and ends its processes. */
export async function withStartedServer<Result>(
  [command, ...args]: readonly [string, ...string[]],
  use: (url: string, child: ChildProcess) => Promise<Result>,
): Promise<Result> {
  const data = mkdtempSync(join(tmpdir(), 'trunkline-start-'));
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TRUNKLINE_PORT: '0', TRUNKLINE_DATA: data, TRUNKLINE_LOG_LEVEL: 'warn' },
  });
  try {
    return await use(await addressOf(child), child);
  } finally {
    process.kill(-child.pid!, 'SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(data, { recursive: true, force: true });
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [, url] = /^ready (http:\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it was ready');
}
