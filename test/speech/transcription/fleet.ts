import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { sandboxQueueOf } from '../../../src/foundation/jobs/index.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import type { TranscriptionJobRow } from '../../../src/foundation/storage/tables/jobs.ts';
import { FETCH_QUEUE, QUEUE } from '../../../src/speech/transcription/transcription-jobs.ts';
import { Receiver } from '../../foundation/webhooks/receiver.ts';
import type { NodeSetting } from './node.ts';
import { lineOf, type Order, type OrderKind, type Outside } from './orders.ts';
import { LINE_SECONDS, wavOf } from './signal-audio.ts';

/** Each node starts this much ahead of the last one, so that leases of dead nodes have expired. */
const STEP_MS = 10 * 60_000;

async function audioServer(after: (step: () => unknown) => void): Promise<string> {
  const server = createServer((request, response) => {
    const [, kind, lines] = (request.url ?? '').split('/');
    const wav = wavOf(Number(lines), kind === 'channels' ? 2 : 1);
    response.writeHead(200, { 'content-type': 'audio/wav' });
    response.end(kind === 'broken' ? Buffer.from('this is no audio at all') : wav);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Ends {
  readonly orders: number;
  readonly completed: number;
  readonly failed: number;
  readonly givenUp: number;
  readonly events: number;
  /** The count includes the requests that the receiver refused. */
  readonly deliveries: number;
  readonly billedSeconds: number;
}

interface Reported {
  readonly ids: Set<string>;
  readonly types: Set<string>;
  readonly keys: Set<unknown>;
}

export async function fleet(storage: Storage, after: (step: () => unknown) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-fleet-'));
  const receiver = new Receiver();
  // The receiver refuses every other event at first, so that it comes again.
  receiver.answer = (request, response) => {
    const id = String(request.headers['x-svc-event-id']);
    const times = receiver.received.filter(({ headers }) => headers['x-svc-event-id'] === id).length;
    const refused = times === 1 && id.charCodeAt(id.length - 1) % 2 === 0;
    response.writeHead(refused ? 500 : 204).end();
  };
  const outside: Outside = { audio: await audioServer(after), hook: await receiver.open() };
  after(() => rm(folder, { recursive: true, force: true }));
  after(() => receiver.close());
  const orders: Order[] = [];
  let started = 0;

  function order(kind: OrderKind, lines: number): Order {
    const placed = { key: `order-${orders.length}`, kind, lines };
    orders.push(placed);
    return placed;
  }

  const jobRows = async () =>
    new Map(
      (await acrossTenants(storage.db).selectFrom('transcription_jobs').selectAll().execute()).map((row) => [
        row.idempotency_key,
        row,
      ]),
    );

  async function setting(): Promise<NodeSetting> {
    const rows = await jobRows();
    started += 1;
    const wanted = orders.filter(({ key }) => !rows.has(key));
    return { folder, outside, aheadMs: started * STEP_MS, orders: wanted };
  }

  async function unfinished(): Promise<number> {
    return (await storage.db.selectFrom('jobs').select('id').where('state', '<>', 'dead').execute()).length;
  }

  async function losses(): Promise<number> {
    const row = await storage.db
      .selectFrom('jobs')
      .select((eb) => eb.fn.max('losses').as('most'))
      .where(
        'queue',
        'in',
        [FETCH_QUEUE, QUEUE].flatMap((queue) => [queue, sandboxQueueOf(queue)]),
      )
      .executeTakeFirst();
    return row?.most ?? 0;
  }

  function reported(): Map<string, Reported> {
    const all = new Map<string, Reported>();
    for (const { body } of receiver.received) {
      const event = JSON.parse(body) as {
        id: string;
        type: string;
        data: { id: string; idempotency_key: unknown };
      };
      const known = all.get(event.data.id) ?? { ids: new Set(), types: new Set(), keys: new Set() };
      known.ids.add(event.id);
      known.types.add(event.type);
      known.keys.add(event.data.idempotency_key);
      all.set(event.data.id, known);
    }
    return all;
  }

  /**
   * Checks that each order has one job, which ended in one way, was billed once, and was reported under one id. Some
   * jobs may have been given up after too many tries without progress: that end is reported too, and a sound node
   * makes none.
   */
  async function check(): Promise<Ends> {
    const rows = await acrossTenants(storage.db).selectFrom('transcription_jobs').selectAll().execute();
    expect(rows.map(({ idempotency_key }) => idempotency_key).sort()).toEqual(
      orders.map(({ key }) => key).sort(),
    );
    const byKey = await jobRows();
    const usage = await storage.db.selectFrom('usage_events').select(['resource', 'milliseconds']).execute();
    const results = await acrossTenants(storage.db).selectFrom('transcription_results').selectAll().execute();
    const events = reported();
    let givenUp = 0;
    let billedSeconds = 0;
    for (const placed of orders) {
      const row = byKey.get(placed.key) as TranscriptionJobRow;
      const billed = usage.filter(({ resource }) => resource === row.id);
      const event = events.get(row.id);
      expect(event, `event of ${placed.kind} ${placed.key}`).toBeDefined();
      expect([event?.ids.size, ...(event?.types ?? [])]).toEqual([1, `transcription.job.${row.status}`]);
      expect([...(event?.keys ?? [])]).toEqual([placed.key]);
      const result = results.filter(({ job_id }) => job_id === row.id);
      if (row.status === 'completed') {
        expect(placed.kind).not.toBe('broken');
        expect(billed).toEqual([{ resource: row.id, milliseconds: placed.lines * LINE_SECONDS * 1000 }]);
        billedSeconds += placed.lines * LINE_SECONDS;
        const { text } = JSON.parse(result[0]?.document ?? '{}') as { text: string };
        const spoken = Array.from({ length: placed.lines }, (_, line) => lineOf(line).text);
        expect(text).toBe(spoken.join(' '));
      } else {
        expect(row).toMatchObject({ status: 'failed', error: expect.stringMatching(/^[A-Z].+\.$/) });
        expect(billed).toEqual([]);
        expect(result).toEqual([]);
        if (placed.kind !== 'broken') givenUp += 1;
      }
    }
    expect(usage.length).toBe(rows.filter(({ status }) => status === 'completed').length);
    expect(
      await acrossTenants(storage.db).selectFrom('transcription_segments').select('job_id').execute(),
    ).toEqual([]);
    expect(await unfinished()).toBe(0);
    const completed = rows.filter(({ status }) => status === 'completed').length;
    return {
      orders: orders.length,
      completed,
      failed: rows.length - completed,
      givenUp,
      events: events.size,
      deliveries: receiver.received.length,
      billedSeconds,
    };
  }

  return { order, setting, unfinished, losses, check };
}
