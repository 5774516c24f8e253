// @requirement Messaging apps: A call whose server was killed is recorded, and the provider is told.

import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { callIdOf } from '../../../src/conversation/calls/index.ts';
import { Sealer, tenantScopeOfRow } from '../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { NodeRegistry } from '../../../src/foundation/nodes/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import {
  HangUpQueue,
  LostMsgappCalls,
  MsgappCallStore,
  MsgappNumbers,
  MsgappProvider,
} from '../../../src/telephony/msgapp/index.ts';
import { lostCallsOf, moveToNode } from '../../foundation/nodes/lost-node.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { type CheckedWebhooks, outboxOn } from '../../foundation/webhooks/checked.ts';
import { until } from '../../poll.ts';

const PLACE = { org_id: 'org_a', project_id: 'proj_a', environment: 'live' } as const;
const scope = tenantScopeOfRow(PLACE);
let clock: ManualClock;
let storage: Storage;
let records: MsgappCallStore;
let webhooks: CheckedWebhooks;
let numbers: MsgappNumbers;
let number: string;
let asked: { readonly path: string | undefined; readonly body: unknown }[];
let says: number[];
let provider: MsgappProvider;
beforeEach(async () => {
  clock = new ManualClock();
  storage = await openStorage({ dataDir: mkdtempSync(join(tmpdir(), 'lost-')), clock });
  webhooks = outboxOn(storage, clock);
  records = new MsgappCallStore(storage, clock, webhooks);
  const sealer = new Sealer(Buffer.from('a secret of the test, long enough'), 'numbers');
  numbers = new MsgappNumbers(storage, clock, sealer, { settings: async () => ({}) });
  const secrets = { accessToken: 'token', appSecret: 'secret', verifyToken: 'verify' };
  const about = { keyId: 'key_a', wabaId: '7', appId: '8', phoneNumberId: '1', phoneNumber: '+15551001000' };
  number = (await numbers.register(scope, { ...secrets, ...about }, SYSTEM_ACTOR)).id;
  asked = [];
  says = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push({ path: request.url, body: JSON.parse(text) });
    response.statusCode = says.shift() ?? 200;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new NodeRegistry({ storage, clock, background: new BackgroundTasks({ clock }) }).sweep();
  provider = new MsgappProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
afterEach(() => storage.close());

const begin = async (call: string) =>
  (await records.begin(scope, {
    number_id: number,
    provider_call_id: call,
    direction: 'inbound',
    from_number: '+15005550001',
    to_number: '+15005550006',
    agent_id: null,
  })) as string;
const stateOf = async (id: string) => (await records.get(scope, id))?.state;

async function server(live: readonly string[], during = async () => {}): Promise<void> {
  const faults: unknown[] = [];
  const background = new BackgroundTasks({ clock, onFailure: ({ error }) => faults.push(error) });
  const queue = new JobQueue(storage, clock);
  const hangUps = new HangUpQueue({ queue, records, numbers, provider, log: createLog({ level: 'silent' }) });
  const node = new NodeRegistry({ storage, clock, id: 'node_other', background });
  node.add(lostCallsOf(storage, clock, new LostMsgappCalls({ records, hangUps, live: () => live })));
  hangUps.start((error) => faults.push(error));
  await node.start();
  await during();
  await node.stop();
  await hangUps.stop();
  expect(faults).toEqual([]);
}

it('ends at its start what a dead server left open, and nothing that lives', async () => {
  const [rings, talks, lives, over] = [
    await begin('1'),
    await begin('2'),
    await begin('3'),
    await begin('4'),
  ];
  const began = clock.now();
  await records.answered(scope, talks, 'ocl_a');
  await records.end(scope, over, 'completed', null);
  await server([]);
  expect(await stateOf(rings)).toBe('ringing');
  clock.advance(61_000);
  await moveToNode('msgapp_calls', lives, 'node_lives', storage);
  await new NodeRegistry({
    storage,
    clock,
    background: new BackgroundTasks({ clock }),
    id: 'node_lives',
  }).sweep();
  await server([]);
  expect([await stateOf(rings), await stateOf(talks), await stateOf(lives)]).toEqual([
    'ended',
    'ended',
    'ringing',
  ]);
  expect(await records.get(scope, talks)).toMatchObject({
    end_reason: 'failed',
    error: 'the server that handled the call failed',
    ended_at: began,
  });
  expect(await records.get(scope, over)).toMatchObject({ end_reason: 'completed', error: null });
  expect(webhooks.reported.map(({ type, resource }) => [type, resource])).toEqual([
    ['msgapp.call.ended', over],
    ...[rings, talks].map((id) => ['msgapp.call.ended', id]),
  ]);
  expect(webhooks.reported[2]).toMatchObject({
    scope,
    data: { omni_call_id: 'ocl_a', end_reason: 'failed' },
  });
});

it('takes its own calls back when it was frozen for as long as a lease', async () => {
  const own = await begin('1');
  const node = new NodeRegistry({ storage, clock, background: new BackgroundTasks({ clock }) });
  const parts = new LostMsgappCalls({ records, hangUps: {} as HangUpQueue, live: () => [callIdOf(own)] });
  node.add(lostCallsOf(storage, clock, parts));
  await node.sweep();
  clock.advance(61_000);
  await server([]);
  expect(await stateOf(own)).toBe('ended');
  await node.sweep();
  expect(await records.get(scope, own)).toMatchObject({ state: 'ringing', error: null, ended_at: null });
  expect(await records.end(scope, own, 'completed', null)).toBe(true);
});

it('has the provider end them: later where it is away, and not again where it says no', async () => {
  const [first, second] = [await begin('wacid.1'), await begin('wacid.2')];
  await records.answered(scope, first, 'ocl_a');
  clock.advance(61_000);
  says = [503, 400];
  const waiting = async () => await storage.db.selectFrom('jobs').select(['id', 'state']).execute();
  await server([], async () => {
    await until(async () => (await stateOf(second)) === 'ended');
    await until(async () => {
      clock.advance(1_000);
      return (await waiting()).length === 0;
    });
  });
  const terminate = (call_id: string) => ({
    path: '/v1/1/calls',
    body: { messaging_product: 'whatsapp', call_id, action: 'terminate' },
  });
  expect(asked).toHaveLength(3);
  for (const call of ['wacid.1', 'wacid.2']) expect(asked).toContainEqual(terminate(call));
  await server([]);
  expect([asked.length, await waiting()]).toEqual([3, []]);
});

it('keeps what the provider is to be told when this server ends as well', async () => {
  await begin('wacid.1');
  clock.advance(61_000);
  says = [503];
  await server([], () => until(() => asked.length === 1));
  expect(asked).toHaveLength(1);
  await server([], async () => {
    await until(() => {
      clock.advance(1_000);
      return asked.length === 2;
    });
  });
  expect(asked[1]).toEqual(asked[0]);
});
