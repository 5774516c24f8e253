// @requirement Messaging apps: Deliveries that come twice, out of order or to two nodes act once.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Principal,
  Sealer,
  type TenantScope,
  tenantScopeOf,
} from '../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import {
  CallPermissions,
  MsgappCallStore,
  MsgappCalls,
  type MsgappCallsDeps,
  MsgappNumbers,
  MsgappProvider,
} from '../../../src/telephony/msgapp/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { outboxOn } from '../../foundation/webhooks/checked.ts';
import { compileProgram } from '../../running-server.ts';
import { node } from '../webrtc/nodes.ts';

const PERSON = '15550001111';
beforeAll(compileProgram, 120_000);

async function aProvider() {
  const offers: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { action, session } = JSON.parse(text) as { action: string; session?: { sdp: string } };
    if (action === 'connect') offers.push(session?.sdp ?? '');
    response.end(JSON.stringify(action === 'connect' ? { calls: [{ id: `wacid.${offers.length}` }] } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    offers,
    provider: new MsgappProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
  };
}

onBothDatabases('two nodes', (databases) => {
  async function aNumber(storage: Storage, principal: Principal, scope: TenantScope) {
    const sealer = new Sealer(Buffer.from('a secret of the test, long enough'), 'numbers');
    const numbers = new MsgappNumbers(storage, systemClock, sealer, { settings: async () => ({}) });
    const secrets = { accessToken: 'token', appSecret: 'secret', verifyToken: 'verify' };
    const ours = { wabaId: '7', appId: '8', phoneNumberId: '1', phoneNumber: '+15551001000' };
    const asked = { ...ours, ...secrets, keyId: principal.keyId as string };
    const { id } = await numbers.register(scope, asked, SYSTEM_ACTOR);
    const change = { agent_id: 'agt_1', calling_enabled: 1 };
    return { numbers, row: await numbers.change(scope, id, change, SYSTEM_ACTOR) };
  }

  it('tell each other what the provider brings of a call', async () => {
    const storage = await databases.open();
    const access = new OneKeyAccess();
    const principal = access.principal();
    const scope = tenantScopeOf(principal);
    const { numbers, row } = await aNumber(storage, principal, scope);
    const { offers, provider } = await aProvider();
    const records = new MsgappCallStore(storage, systemClock, outboxOn(storage, systemClock));
    const permissions = new CallPermissions(storage, systemClock);
    const reply = { accepted: true, permanent: true, until: null, at: null };
    await permissions.replied(scope, row.id, `+${PERSON}`, reply);
    const calls = (): MsgappCalls => {
      const services = { access, storage, numbers, records, permissions, provider, clock: systemClock };
      const suppressed = async () => false;
      const own = { ...services, suppressed, webrtc: node(), log: createLog({ level: 'silent' }) };
      const made = new MsgappCalls({
        ...own,
        standings: { of: async () => principal },
      } as unknown as MsgappCallsDeps);
      onTestFinished(() => made.stop());
      return made;
    };
    const [carries, other] = [calls(), calls()];
    const id = await carries.place(principal, row, `+${PERSON}`);
    const connected = vi.fn();
    const answer = await node().answer((offers[0] as string).replaceAll(/a=candidate:.*\r?\n/g, ''), {
      connected,
      audio: () => undefined,
      ended: () => undefined,
    });
    const of = { phoneNumberId: '1', callId: 'wacid.1' };
    const people = { from: '15551001000', to: PERSON, direction: 'outbound' } as const;
    await other.take(row, { ...of, ...people, kind: 'connect', sdpType: 'answer', sdp: answer.sdp });
    await vi.waitFor(() => expect(connected).toHaveBeenCalled(), 15_000);
    await other.take(row, { ...of, kind: 'status', status: 'rejected' });
    await vi.waitFor(
      async () =>
        expect(await records.get(scope, id)).toMatchObject({ state: 'ended', end_reason: 'rejected' }),
      5_000,
    );
    expect(access.released).toBe(1);
  }, 30_000);
});
