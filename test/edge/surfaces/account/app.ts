import { Writable } from 'node:stream';
import type { InjectOptions } from 'fastify';
import {
  createServer,
  IdempotencyStore,
  type Server,
  type Surface,
} from '../../../../src/edge/server/index.ts';
import { type AccountDeps, createAccountSurface } from '../../../../src/edge/surfaces/account/index.ts';
import type { AccessOptions } from '../../../../src/foundation/access/index.ts';
import { createLog } from '../../../../src/foundation/platform/log.ts';
import type { QuotaBlobs, Storage } from '../../../../src/foundation/storage/index.ts';
import { openService, type TestService } from '../../../foundation/access/access-service.ts';

const nothing = async () => {};
const BASE_URL = 'https://voice.example';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: the body of whatever was asked.
  readonly body: any;
}

export interface App extends TestService {
  readonly server: Server;
  readonly logged: () => string;
  ask(method: InjectOptions['method'], url: string, more?: AskOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly key?: string | undefined;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly from?: string;
}

export async function openApp(
  storage: Storage,
  options: Partial<AccessOptions> & {
    surfaces?: readonly Surface[];
    files?: Pick<QuotaBlobs, 'used'>;
    expiry?: AccountDeps['expiry'];
    webrtcOff?: string;
  } = {},
): Promise<App> {
  const service = await openService(storage, {
    baseUrl: BASE_URL,
    ...(options as Parameters<typeof openService>[1]),
  });
  let logged = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  const account = createAccountSurface({
    access: service.access,
    billing: service.billing,
    clock: service.clock,
    storage,
    files: options.files ?? { used: async () => 0 },
    expiry: options.expiry ?? {
      tenantDeletion: { requireNoLegalHold: nothing, deleteProject: nothing, deleteOrganization: nothing },
    },
    baseUrl: () => BASE_URL,
    webrtc: { off: options.webrtcOff ?? null },
  });
  const server = await createServer({
    log: createLog({ level: 'trace', destination }),
    access: service.access,
    idempotencyStore: new IdempotencyStore(storage, service.clock),
    surfaces: [account, ...(options.surfaces ?? [])],
    clock: service.clock,
    config: {
      host: '127.0.0.1',
      port: 0,
      baseUrl: BASE_URL,
      trustedProxies: [],
      drainSeconds: 0,
    },
  });
  return {
    ...service,
    server,
    logged: () => logged,
    async ask(method, url, more = {}) {
      const response = await server.rest.inject({
        method: method as 'GET',
        url,
        remoteAddress: more.from ?? '203.0.113.7',
        headers: {
          host: 'voice.example',
          ...(more.key === undefined ? {} : { authorization: `Bearer ${more.key}` }),
          ...more.headers,
        },
        ...(more.body === undefined ? {} : { payload: more.body }),
      });
      return {
        status: response.statusCode,
        headers: response.headers as Answer['headers'],
        body: response.body === '' ? null : JSON.parse(response.body),
      };
    },
    async close() {
      await server.close();
      service.access.close();
      await service.billing.stop();
    },
  };
}
