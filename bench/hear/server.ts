/** Serves until it is killed; tells its parent where, once recognition is ready. */
import { createApplication } from '../../src/main.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log.ts';

const config = loadConfig({ ...process.env, TRUNKLINE_PORT: '0', TRUNKLINE_HOST: '127.0.0.1' });
const { server } = await createApplication(config, createLog({ level: 'error' }));
const url = await server.listen();
for (;;) {
  const ready = (await (await fetch(`${url}/readyz`)).text()).includes('preparing');
  const probe = await fetch(`${url}/readyz`);
  if (probe.ok && !ready) break;
  await new Promise((resolve) => setTimeout(resolve, 100));
}
process.send?.(url);
