/**
 * `key` prints a live key. Without it the program serves until it is killed, and reports its address to its parent
 * once recognition is ready.
 */
import { main } from '../../src/apps/cli/index.ts';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { createApplication } from '../../src/main/main.ts';

async function serve(): Promise<void> {
  const config = loadConfig({ ...process.env, TRUNKLINE_PORT: '0', TRUNKLINE_HOST: '127.0.0.1' });
  const { server } = await createApplication(config, createLog({ level: 'error' }));
  const url = await server.listen();
  // The server refuses traffic while a kind of work prepares, so the benchmark waits.
  while (!(await fetch(`${url}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 100));
  process.send?.(url);
}

if (process.argv[2] === 'key') {
  process.exitCode = await main(['keys', 'create', '--live', '--scopes', '*', '--credit', '1000']);
} else {
  await serve();
}
