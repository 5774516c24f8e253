import { join } from 'node:path';
import { root } from '../../running-server.ts';

/** The console's pages from their sources, where they are not built already. */
export async function builtConsole(): Promise<void> {
  const { buildConsole } = (await import(join(root, 'scripts/console.mjs'))) as {
    buildConsole(log: () => void): Promise<void>;
  };
  await buildConsole(() => {});
}
