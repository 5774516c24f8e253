import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JobQueue } from '../../src/jobs/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { UrlGate } from '../../src/platform/url-gate/index.ts';
import { Webhooks } from '../../src/webhooks/index.ts';
import type { Report } from '../harness/index.ts';
import type { Place } from './place.ts';

const RECEIVERS = 20;

/** Signed deliveries a second, from accepted event to recorded acceptance, to receivers on this machine. */
export async function deliveries(report: Report, place: Place, count: number): Promise<void> {
  const storage = await place.open();
  let arrived = 0;
  let done = () => {};
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(204).end();
      arrived += 1;
      if (arrived === count) done();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const gate = new UrlGate({ allowLoopback: true });
  const queue = new JobQueue(storage, systemClock);
  const webhooks = new Webhooks({ storage, queue, gate, clock: systemClock });
  try {
    for (let n = 0; n < RECEIVERS; n += 1) await webhooks.mintSecret(`org_${n}`);
    for (let n = 0; n < count; n += 1) {
      const orgId = `org_${n % RECEIVERS}`;
      const urls = [`http://127.0.0.1:${port}/`];
      await storage.transaction((trx) => webhooks.publish(trx, { orgId, type: 'bench', data: { n }, urls }));
    }
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    const began = performance.now();
    webhooks.start();
    await all;
    await webhooks.stop(10_000);
    const seconds = (performance.now() - began) / 1000;
    report.figure({
      name: `${place.name}: deliveries to ${RECEIVERS} receivers`,
      value: count / seconds,
      unit: '1/s',
      goal: { atLeast: 100 },
    });
  } finally {
    await gate.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await storage.close();
  }
}
