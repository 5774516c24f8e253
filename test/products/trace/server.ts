import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdempotencyStore } from '../../../src/edge/server/index.ts';
import { createTraceSurface } from '../../../src/edge/surfaces/trace/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import {
  ContactPermissions,
  Interactions,
  type JudgementInputCollector,
  Packs,
  PreDialCheck,
  Results,
  TraceSettingsStore,
  VerdictSigner,
} from '../../../src/products/trace/index.ts';
import { bearer, start } from '../../edge/server/fixtures/start.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { afterEach } from '../../helper-hooks.ts';
import { blobsIn } from '../../media/recordings/opened.ts';
import { plainInputs } from './judgement-inputs.ts';

export const AFTERNOON = Date.UTC(2026, 8, 21, 19);

const opened: Storage[] = [];
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close();
});

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every route.
  readonly json: any;
}

export async function openTrace(given: { storage?: Storage; inputs?: JudgementInputCollector } = {}) {
  const clock = new ManualClock(AFTERNOON);
  const storage = given.storage ?? (await openStorage({ dataDir: mkdtempSync(join(tmpdir(), 'trace-')) }));
  if (given.storage === undefined) opened.push(storage);
  const urls = new UrlGate({ allowLoopback: true, clock });
  const queue = new JobQueue(storage, clock);
  const webhooks = new CheckedWebhooks({
    storage,
    queue,
    gate: urls,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const inputs = given.inputs ?? plainInputs();
  const packs = new Packs(storage, clock);
  const settings = new TraceSettingsStore(storage, clock);
  const signer = new VerdictSigner(Buffer.alloc(32, 1));
  const interactions = new Interactions({ storage, clock, inputs, packs, webhooks, signer });
  const permissions = new ContactPermissions(storage, clock);
  const gate = new PreDialCheck(storage, clock, permissions, settings);
  const results = new Results(storage, clock);
  const blobs = blobsIn(storage, clock);
  const services = {
    storage,
    blobs,
    inputs,
    packs,
    settings,
    signer,
    interactions,
    permissions,
    gate,
    results,
    urls,
  };
  const answers = new IdempotencyStore(storage, clock);
  const { url } = await start({ surfaces: [createTraceSurface(services)], idempotencyStore: answers });
  const send = async (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...bearer,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, json: text === '' ? null : JSON.parse(text) };
  };
  return { ...services, clock, queue, webhooks, url, send };
}

export const turnsOf = (...turns: readonly [speaker: 'agent' | 'customer', text: string][]) =>
  turns.map(([speaker, text], at) => ({ speaker, text, start_ms: at * 5000, end_ms: at * 5000 + 4000 }));
