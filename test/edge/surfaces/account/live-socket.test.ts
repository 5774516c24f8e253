import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createServer, type Surface } from '../../../../src/edge/server/index.ts';
import { createAccess } from '../../../../src/foundation/access/index.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { createLog } from '../../../../src/foundation/platform/log.ts';
import { DEPLOYMENT_SEALER } from '../../../foundation/access/deployment-sealer.ts';
import { makeOrganization } from '../../../foundation/billing/organization.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';

const quiet: Surface = {
  name: 'quiet',
  sockets: [
    {
      path: '/v1/quiet',
      access: { kind: 'key', scope: 'hear:stream' },
      maxFrameBytes: 1024,
      accept: () => ({ open: () => ({ onMessage: () => {}, onClosed: () => {} }) }),
    },
  ],
};

onBothDatabases('a live socket', (databases) => {
  const undo: (() => unknown)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function open() {
    const storage = await databases.open();
    const billing = createBilling({
      storage,
      clock: systemClock,
      background: new BackgroundTasks({ clock: systemClock }),
    });
    const access = await createAccess({
      storage,
      billing,
      clock: systemClock,
      background: new BackgroundTasks({ clock: systemClock }),
      sealer: DEPLOYMENT_SEALER,
    });
    undo.push(() => access.close());
    const server = await createServer({
      log: createLog({ level: 'silent' }),
      access,
      surfaces: [quiet],
      config: { host: '127.0.0.1', port: 0, baseUrl: null, trustedProxies: [], drainSeconds: 0 },
    });
    const url = (await server.listen()).replace('http', 'ws');
    undo.push(() => server.close());
    const organization = await makeOrganization(storage);
    const key = await access.keys.create({
      ...organization,
      name: 'test',
      environment: 'live',
      scopes: ['hear:*'],
      budgetMicros: null,
      expiresAt: null,
      createdBy: null,
    });
    const connect = async (path: string, protocols: string[] = [], headers = {}) => {
      const socket = new WebSocket(`${url}${path}`, protocols, { headers });
      undo.push(() => socket.terminate());
      await once(socket, 'open');
      return socket;
    };
    return { access, key, connect };
  }

  it('opens with the key in each place, chooses the marker and never reflects the key', async () => {
    const { key, connect } = await open();
    const pair = await connect('/v1/quiet', ['svc.v1', `svc-key.${key.text}`]);
    expect(pair.protocol).toBe('svc.v1');
    const query = await connect(`/v1/quiet?api_key=${key.text}`);
    expect(query.protocol).toBe('');
    const header = await connect('/v1/quiet', [], { 'x-api-key': key.text });
    expect(header.protocol).toBe('');
  });

  it('answers no protocol when the key was sent alone', async () => {
    const { key, connect } = await open();
    // A client that requires a subprotocol closes the connection itself: the 101 came without one.
    await expect(connect('/v1/quiet', [`svc-key.${key.text}`])).rejects.toThrow(/no subprotocol/i);
  });

  it('is closed with 4401 within a second of the revocation', async () => {
    const { access, key, connect } = await open();
    const sockets = [
      await connect(`/v1/quiet?api_key=${key.text}`),
      await connect(`/v1/quiet?api_key=${key.text}`),
    ];
    const closed = sockets.map(async (socket) => (await once(socket, 'close'))[0]);
    const began = performance.now();
    await access.keys.revoke(null, key.id);
    expect(await Promise.all(closed)).toEqual([4401, 4401]);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
