import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sealer, tenantScopeOf } from '../../src/foundation/access/index.ts';
import { JobQueue } from '../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../src/foundation/platform/url-gate/index.ts';
import { Webhooks } from '../../src/foundation/webhooks/index.ts';
import type { StorageBackend } from './storage-backends.ts';

const numbered = (n: number) => ({
  type: 'integration.test' as const,
  data: { destination_id: 'bench', message: String(n) },
});

const placeOf = (orgId: string) => tenantScopeOf({ orgId, projectId: 'proj_bench', environment: 'live' });

const RECEIVERS = 20;
const SILENT = 4;
const SILENT_EVENTS = 50;

export interface Rate {
  readonly place: StorageBackend['name'];
  readonly to: string;
  readonly perSecond: number;
}

/** Measures signed deliveries a second, from accepted event to recorded acceptance, to receivers on this machine. */
export async function deliveries(place: StorageBackend, count: number, withSilent: boolean): Promise<Rate> {
  const storage = await place.open();
  let arrived = 0;
  let done = () => {};
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/silent') return;
    request.on('end', () => {
      response.writeHead(204).end();
      arrived += 1;
      if (arrived === count) done();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  const gate = new UrlGate({ allowLoopback: true });
  const queue = new JobQueue(storage, systemClock);
  const webhooks = new Webhooks({
    sealer: new Sealer(Buffer.alloc(32), 'bench'),
    storage,
    queue,
    gate,
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
  });
  try {
    for (let n = 0; n < RECEIVERS; n += 1) await webhooks.mintSecret(placeOf(`org_${n}`));
    const silent = withSilent ? SILENT * SILENT_EVENTS : 0;
    for (let n = 0; n < silent; n += 1) {
      const urls = [`http://127.0.0.${2 + (n % SILENT)}:${port}/silent`];
      await storage.transaction((trx) =>
        webhooks.publish(trx, {
          scope: placeOf(`org_silent_${n % SILENT}`),
          ...numbered(n),
          urls,
        }),
      );
    }
    for (let n = 0; n < count; n += 1) {
      const scope = placeOf(`org_${n % RECEIVERS}`);
      const urls = [`http://127.0.0.1:${port}/`];
      await storage.transaction((trx) => webhooks.publish(trx, { scope, ...numbered(n), urls }));
    }
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    const began = performance.now();
    webhooks.start();
    await all;
    const seconds = (performance.now() - began) / 1000;
    await webhooks.stop(0);
    const concurrent = withSilent ? `, ${silent} waiting for ${SILENT} that never answer` : '';
    return { place: place.name, to: `${RECEIVERS} receivers${concurrent}`, perSecond: count / seconds };
  } finally {
    await gate.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await storage.close();
  }
}
