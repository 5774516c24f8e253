import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/foundation/platform/config/index.ts';
import { createLog, type Log } from '../../src/foundation/platform/log.ts';
import { type CoreServices, createApplication, openCoreServices } from '../../src/main/main.ts';
import { engineOf } from '../media/engine/shared-engine.ts';
import { pollDelay } from '../poll.ts';

type Json = Record<string, unknown>;

export interface Tenant {
  readonly orgId: string;
  readonly projectId: string;
  readonly key: string;
  readonly email: string;
  readonly password: string;
  readonly session: string;
}

export interface Place {
  readonly url: string;
  readonly stop: () => Promise<unknown>;
}

export interface WorldOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** Starts the server in a process of its own; by default it runs in this one. */
  readonly apart?: (environment: Readonly<Record<string, string>>) => Promise<Place>;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData | Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json | undefined;
}

export const OPERATOR_TOKEN = 'operator-token-of-the-contract';
/** The limit exceeds the requests of any test: the rate limits have their own tests. */
const PLENTY = 1_000_000;

export class World {
  readonly url: string;
  readonly data: string;
  readonly openapi: Json;
  readonly ours: Tenant;
  readonly theirs: Tenant;
  readonly ready: boolean;
  readonly #stop: () => Promise<void>;
  #sent = 0;

  private constructor(parts: {
    url: string;
    data: string;
    openapi: Json;
    ours: Tenant;
    theirs: Tenant;
    ready: boolean;
    stop: () => Promise<void>;
  }) {
    this.url = parts.url;
    this.data = parts.data;
    this.openapi = parts.openapi;
    this.ours = parts.ours;
    this.theirs = parts.theirs;
    this.ready = parts.ready;
    this.#stop = parts.stop;
  }

  static async open({
    settings = {},
    log = createLog({ level: 'silent' }),
    apart,
  }: WorldOptions = {}): Promise<World> {
    const data = mkdtempSync(join(tmpdir(), 'contract-'));
    const environment = {
      TRUNKLINE_DATA: data,
      TRUNKLINE_PORT: '0',
      TRUNKLINE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1',
      TRUNKLINE_LOG_LEVEL: 'silent',
      TRUNKLINE_HOSTING_PARTNERS: '{"somewhere": "the secret of somewhere"}',
      TRUNKLINE_CARRIER: 'loopback',
      TRUNKLINE_MCP: 'true',
      TRUNKLINE_OWN_PROVIDER_KEYS: 'openai,deepgram,elevenlabs',
      ...(process.env.TRUNKLINE_MODELS ? { TRUNKLINE_MODELS: process.env.TRUNKLINE_MODELS } : {}),
      ...settings,
    };
    const config = loadConfig(environment);
    const services = await openCoreServices(config, log);
    const tenants = [await makeTenant(services, 'ours'), await makeTenant(services, 'theirs')] as const;
    await services.close();
    const place = await (apart?.(environment) ?? inThisProcess(config, log));
    const { url } = place;
    const openapi = (await (await fetch(`${url}/openapi.json`)).json()) as Json;
    const stop = async () => {
      await place.stop();
      rmSync(data, { recursive: true, force: true });
    };
    const [ours, theirs] = await Promise.all(tenants.map((tenant) => signIn(url, tenant)));
    return new World({
      url,
      data,
      openapi,
      ours: ours!,
      theirs: theirs!,
      ready: await isReady(url),
      stop,
    });
  }

  /** Each request comes from a network of its own, so that no network's rate limit applies. */
  async send(path: string, sent: Sent = {}): Promise<Answer> {
    const number = this.#sent++;
    const forwarded = `10.${(number >> 8) & 255}.${number & 255}.7`;
    const response = await fetch(this.url + path, {
      ...sent,
      headers: { ...sent.headers, 'x-forwarded-for': forwarded },
      redirect: 'manual',
    } as RequestInit);
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(Buffer.from(text, 'latin1').toString()) as Json) : undefined,
    };
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

async function inThisProcess(config: Config, log: Log): Promise<Place> {
  const application = await createApplication(config, log, engineOf(config, log));
  return { url: await application.server.listen(), stop: () => application.stop(0) };
}

async function isReady(url: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  for (;;) {
    const answer = await fetch(`${url}/readyz`, { headers });
    const { not_ready } = (await answer.json()) as { not_ready: readonly { name: string }[] };
    if (!not_ready.some(({ name }) => /^(engine |warm-up$)/.test(name))) return answer.status === 200;
    await pollDelay();
  }
}

type Unsigned = Omit<Tenant, 'session'>;

async function makeTenant({ access, billing, storage }: CoreServices, name: string): Promise<Unsigned> {
  const email = `${name}@example.com`;
  const password = `the password of ${name}`;
  const account = await access.accounts.signUp({ email, password }, '192.0.2.1');
  const { organization, project } = account;
  await storage.db
    .updateTable('plans')
    .set({ rps: PLENTY, burst: PLENTY, concurrency: PLENTY, numbers_max: PLENTY })
    .execute();
  const key = await access.keys.create({
    orgId: organization.id,
    projectId: project.id,
    name: 'contract',
    environment: 'live',
    scopes: ['*'],
    budgetMicros: null,
    expiresAt: null,
    createdBy: null,
  });
  for (const name of ['trace', 'call_integrations'])
    await access.entitlements.set(organization.id, name, true);
  await billing.addCredit({ orgId: organization.id, amountMicros: 1_000_000_000 });
  return { orgId: organization.id, projectId: project.id, key: key.text, email, password };
}

async function signIn(url: string, tenant: Unsigned): Promise<Tenant> {
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: tenant.email, password: tenant.password }),
  });
  const { token } = (await response.json()) as { token: string };
  return { ...tenant, session: token };
}
