import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { loadConfig } from '../../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../../src/foundation/platform/log.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { openStorage } from '../../../../src/foundation/storage/index.ts';
import { createApplication, openCoreServices } from '../../../../src/main/main.ts';
import { engineOf } from '../../../media/engine/shared-engine.ts';
import { pollDelay } from '../../../poll.ts';

const models = new Models();
export const absent = [
  'silero-vad',
  'whisper-base',
  'moonshine-tiny-en',
  'listening',
  'kokoro',
  'hibari',
  'espeak-ng',
]
  .filter((id) => !models.status(id).ready)
  .join(', ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
type Json = any;

export interface Phones {
  readonly url: string;
  readonly data: string;
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Json }>;
  agent(fields?: object): Promise<string>;
  number(agentId?: string): Promise<Json>;
  event(type: string, callId: string): Promise<Json>;
  readonly hook: string;
  readonly authorization: string;
  stop(): Promise<void>;
}

export async function openPhones(network?: string, more: Record<string, string> = {}): Promise<Phones> {
  const data = mkdtempSync(join(tmpdir(), 'phones-'));
  const events: Json[] = [];
  let reported: (() => void)[] = [];
  const receiver = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      events.push(JSON.parse(Buffer.concat(parts).toString()));
      response.writeHead(204).end();
      for (const notify of reported.splice(0)) notify();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const hook = `http://127.0.0.1:${(receiver.address() as { port: number }).port}/`;
  const { environment, authorization } = await makeKey(data, network, more);
  const config = loadConfig(environment);
  const log = createLog({ level: process.env.PHONES_LOG ?? 'silent' });
  const application = await createApplication(config, log, engineOf(config, log));
  const url = await application.server.listen();
  await whole(application);
  const send: Phones['send'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const gate = { require_consent: false, quiet_hours: null, attempts: null };
  const open = await send('PUT', '/v1/trace/config', { gate });
  if (open.status !== 200) throw new Error(JSON.stringify(open.body));
  return {
    url,
    data,
    hook,
    authorization,
    send,
    agent: async (fields = {}) =>
      (await send('POST', '/v1/agents', { name: 'Maya', voice_id: 'joe_en_us', ...fields })).body.id,
    number: async (agentId) => {
      const free = await send('GET', '/v1/telephony/available-numbers?country=US&limit=1');
      const taken = await send('POST', '/v1/telephony/numbers', {
        phone_number: free.body.data[0].phone_number,
        ...(agentId === undefined ? {} : { agent_id: agentId }),
      });
      await send('PATCH', `/v1/telephony/numbers/${taken.body.id}`, { settings: { webhook_url: hook } });
      return taken.body;
    },
    event: async (type, callId) => {
      for (;;) {
        const found = events.find((event) => event.type === type && event.data.id === callId);
        if (found !== undefined) return found.data;
        await new Promise<void>((resolve) => {
          reported = [...reported, resolve];
        });
      }
    },
    stop: async () => {
      await application.stop(0);
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
      rmSync(data, { recursive: true, force: true });
    },
  };
}

export async function makeKey(
  data: string,
  network?: string,
  more: Record<string, string> = {},
): Promise<{ environment: Record<string, string>; authorization: string }> {
  const file = join(data, 'network.yaml');
  if (network !== undefined) writeFileSync(file, network);
  const environment = {
    TRUNKLINE_DATA: data,
    TRUNKLINE_PORT: '0',
    TRUNKLINE_LOG_LEVEL: process.env.PHONES_LOG ?? 'silent',
    TRUNKLINE_CARRIER: 'loopback',
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    ...(network === undefined ? {} : { TRUNKLINE_LOOPBACK_NETWORK: file }),
    ...(process.env.TRUNKLINE_MODELS ? { TRUNKLINE_MODELS: process.env.TRUNKLINE_MODELS } : {}),
    ...more,
  };
  const services = await openCoreServices(loadConfig(environment), createLog({ level: 'silent' }));
  const email = `somebody${Math.random()}@example.com`;
  const { organization, project } = await services.access.accounts.signUp(
    { email, password: 'a long password' },
    '192.0.2.1',
  );
  await services.storage.db
    .updateTable('plans')
    .set({ rps: 1e6, burst: 1e6, concurrency: 1e6, numbers_max: 1e6 })
    .execute();
  const key = await services.access.keys.create({
    orgId: organization.id,
    projectId: project.id,
    name: 'telephony',
    environment: 'live',
    scopes: ['*'],
    budgetMicros: null,
    expiresAt: null,
    createdBy: null,
  });
  await services.billing.addCredit({ orgId: organization.id, amountMicros: 1_000_000_000 });
  await services.close();
  return { environment, authorization: `Bearer ${key.text}` };
}

async function whole({ server }: Awaited<ReturnType<typeof createApplication>>): Promise<void> {
  for (;;) {
    const { parts } = await server.readiness();
    if (!parts.some((part) => part.required && part.opening)) return;
    await pollDelay();
  }
}

/** The leases of a server that was killed are over. */
export async function aMinuteLater(dataDir: string): Promise<void> {
  const storage = await openStorage({ dataDir, clock: systemClock });
  await storage.db
    .updateTable('nodes')
    .set({ seen_at: Date.now() - 120_000 })
    .execute();
  await storage.db.updateTable('jobs').set({ lease_until: 0 }).where('state', '=', 'running').execute();
  await storage.close();
}
