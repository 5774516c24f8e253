/** `key`: prints a live key. Otherwise serves until it is killed, and tells its parent where, once recognition is ready. */
import { main } from '../../src/apps/cli/index.ts';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { createApplication } from '../../src/main/main.ts';

async function serve(): Promise<void> {
  const config = loadConfig({ ...process.env, TRUNKLINE_PORT: '0', TRUNKLINE_HOST: '127.0.0.1' });
  const { server } = await createApplication(config, createLog({ level: 'error' }));
  const url = await server.listen();
  // Traffic waits while a kind of work prepares; so does this.
  while (!(await fetch(`${url}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 100));
  process.send?.(url);
}

if (process.argv[2] === 'key') {
  process.exitCode = await main(['keys', 'create', '--live', '--scopes', '*', '--credit', '1000']);
} else {
  await serve();
}
