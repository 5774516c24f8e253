import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdempotencyStore } from '../../../../src/edge/server/index.ts';
import { createComplianceSurface } from '../../../../src/edge/surfaces/compliance/index.ts';
import { Sealer } from '../../../../src/foundation/access/index.ts';
import { JobQueue } from '../../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import type { Log } from '../../../../src/foundation/platform/log.ts';
import {
  type Blobs,
  openBlobs,
  openStorage,
  type Storage,
  type StorageOptions,
} from '../../../../src/foundation/storage/index.ts';
import {
  ComplianceService,
  type ComplianceServiceDeps,
  loopbackNetwork,
  type MalwareScanner,
} from '../../../../src/telephony/compliance/index.ts';
import { outboxOn } from '../../../foundation/webhooks/checked.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { pollDelay } from '../../../poll.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

export interface Json {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers.
  [name: string]: any;
}

export interface Answer {
  readonly status: number;
  readonly json: Json;
  readonly text: string;
  readonly headers: Headers;
}

export interface OpenOptions extends Partial<Omit<ComplianceServiceDeps, 'storage' | 'blobs'>> {
  readonly database?: Pick<StorageOptions, 'databaseUrl' | 'dataDir'>;
  readonly log?: Log;
}

export const CLEAN: MalwareScanner = { scan: async () => ({ kind: 'clean' }) };

export const PORT_US = {
  kind: 'port_in',
  country: 'US',
  number_type: 'local',
  capabilities: ['voice', 'sms'],
  use_case: 'Support line',
};

export class Testbed {
  readonly url: string;
  readonly storage: Storage;
  readonly service: ComplianceService;

  readonly blobs: Blobs;
  readonly folder: string;

  constructor(url: string, storage: Storage, service: ComplianceService, blobs: Blobs, folder: string) {
    this.blobs = blobs;
    this.folder = folder;
    this.url = url;
    this.storage = storage;
    this.service = service;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.url}/v1/telephony/compliance-cases${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OneKeyAccess.KEY}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json: Json = text.startsWith('{') ? (JSON.parse(text) as Json) : {};
    return { status: response.status, json, text, headers: response.headers };
  }

  async open(given: Json = PORT_US): Promise<Json> {
    const { status, json, text } = await this.send('POST', '', given, { 'idempotency-key': randomUUID() });
    if (status !== 201) throw new Error(text);
    return json;
  }

  async read(id: string): Promise<Json> {
    return (await this.send('GET', `/${id}`)).json;
  }

  async upload(
    id: string,
    request: string,
    bytes: Uint8Array,
    { name = 'paper.pdf', headers = {} }: { name?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const form = new FormData();
    form.append('document_request_id', request);
    form.append('file', new Blob([Buffer.from(bytes)]), name);
    return await this.send('POST', `/${id}/documents`, form, headers);
  }

  async settled(id: string, until = (one: Json): boolean => one.state !== 'extracting'): Promise<Json> {
    for (;;) {
      const found = await this.read(id);
      if (until(found)) return found;
      await pollDelay();
    }
  }

  async attestAll(of: Json): Promise<Json> {
    for (const { id } of of.attestation_requests) {
      await this.send('POST', `/${of.id}/attestations`, { attestation_request_id: id, accepted: true });
    }
    return await this.read(of.id);
  }
}

export async function openTestbed({ database, log, ...given }: OpenOptions = {}): Promise<Testbed> {
  const folder = mkdtempSync(join(tmpdir(), 'compliance-'));
  const clock = given.clock ?? systemClock;
  const storage = await openStorage(database ?? { dataDir: folder });
  const blobs = await openBlobs({ folder: join(folder, 'blobs') });
  const service = new ComplianceService({
    storage,
    blobs,
    pictures: null,
    network: loopbackNetwork,
    scanner: CLEAN,
    clock,
    background: new BackgroundTasks({ clock }),
    queue: new JobQueue(storage, clock),
    webhooks: outboxOn(storage, clock),
    sealer: new Sealer(Buffer.from('a secret of this test'), 'compliance'),
    documentDays: async () => null,
    ...given,
  });
  const surface = createComplianceSurface({ compliance: service });
  const { url } = await start({
    access: new OneKeyAccess(),
    surfaces: [surface],
    idempotencyStore: new IdempotencyStore(storage, systemClock),
    ...(log === undefined ? {} : { log }),
  });
  undo.push(async () => {
    await service.stop(0);
    await storage.close();
    await blobs.close();
    await rm(folder, { recursive: true, force: true });
  });
  return new Testbed(url, storage, service, blobs, folder);
}
