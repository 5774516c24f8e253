import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Taken {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

export async function openMailServer(after: (end: () => Promise<void>) => void, ...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'smtp-server.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  const port = await line();
  return { port, mail: async () => JSON.parse(await line()) as Taken };
}
