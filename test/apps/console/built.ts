import { join } from 'node:path';
import { root } from '../../running-server.ts';

export async function builtConsole(): Promise<void> {
  const { buildConsole } = (await import(join(root, 'scripts/console.mjs'))) as {
    buildConsole(log: () => void): Promise<void>;
  };
  await buildConsole(() => {});
}
