import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { IdempotencyStore } from '../../../src/edge/server/index.ts';
import { createIntegrationsSurface } from '../../../src/edge/surfaces/integrations/index.ts';
import { createWebhooksSurface } from '../../../src/edge/surfaces/webhooks/index.ts';
import { Sealer } from '../../../src/foundation/access/index.ts';
import { MailRecipients } from '../../../src/foundation/access/mail-recipients.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { type Mailer, MailQueue } from '../../../src/foundation/mail/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { DestinationAudience, Destinations } from '../../../src/products/integrations/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { bearer, start } from '../../edge/server/fixtures/start.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { Receiver } from '../../foundation/webhooks/receiver.ts';
import { openImports } from './imports.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every route.
export type Answer = { status: number; json: any };

export async function openIntegrations(
  given: {
    storage?: Storage;
    mailer?: Mailer;
    at?: number;
    entitled?: boolean;
    environment?: 'live' | 'sandbox';
  } = {},
) {
  const storage =
    given.storage ?? (await openStorage({ dataDir: mkdtempSync(join(tmpdir(), 'destinations-')) }));
  if (given.storage === undefined) onTestFinished(() => storage.close());
  const clock = new ManualClock(given.at ?? Date.parse('2026-11-22T12:00:00Z'));
  const gate = new UrlGate({ allowLoopback: true, clock });
  const queue = new JobQueue(storage, clock);
  const webhooks = new CheckedWebhooks({
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
    random: () => 0.5,
  });
  const mailer = given.mailer ?? null;
  const post = new MailQueue({ queue, mailer });
  post.start();
  onTestFinished(() => post.stop(0));
  const recipients = new MailRecipients({
    storage,
    clock,
    secret: Buffer.alloc(32, 2),
    mail: post,
    baseUrl: () => 'https://voice.example.com',
  });
  const outside = { gate, mailer, recipients };
  const sealer = new Sealer(Buffer.alloc(32, 1), 'test');
  const destinations = new Destinations({ storage, clock, sealer, outside });
  webhooks.setDestinations(new DestinationAudience(destinations, outside));
  const imports = await openImports(storage, clock, queue, gate);
  const receiver = new Receiver();
  const hook = await receiver.open();
  onTestFinished(() => receiver.close());
  const surfaces = [
    createIntegrationsSurface({
      ...{ storage, destinations, webhooks },
      ...imports,
      baseUrl: () => 'https://voice.example.com',
    }),
    createWebhooksSurface({ webhooks }),
  ];
  const entitlements = given.entitled ? (['call_integrations'] as const) : [];
  const { url, access } = await start({
    access: new OneKeyAccess(['*'], entitlements, given.environment ?? 'sandbox'),
    surfaces,
    idempotencyStore: new IdempotencyStore(storage, clock),
  });
  onTestFinished(() => webhooks.stop(0));
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(url + path, {
      method,
      headers: { ...bearer, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json() };
  };
  return {
    recipients,
    imports,
    queue,
    storage,
    clock,
    webhooks,
    destinations,
    receiver,
    hook,
    url,
    access,
    send,
  };
}
