/** The price of a text is reserved when it is accepted, captured once the network has it, and released otherwise. */
import { expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import {
  LoopbackMessages,
  MessageCarrierError,
  type MessageOrder,
} from '../../../src/telephony/carriers/index.ts';
import { AgentMessages } from '../../../src/telephony/messages/index.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { until } from '../../poll.ts';
import { OURS, openWriting, PERSON } from './writing.ts';

const PRICE = 2_000;
const TEXT = { from: OURS, to: PERSON, body: 'Your table is booked.', mediaUrls: [], campaignId: null };

class Waiting extends LoopbackMessages {
  readonly orders: ((fault: MessageCarrierError | null) => void)[] = [];

  override async send(order: MessageOrder): Promise<void> {
    const fault = await new Promise<MessageCarrierError | null>((resolve) => this.orders.push(resolve));
    if (fault !== null) throw fault;
    await super.send(order);
  }
}

onBothDatabases('what a text costs', (databases) => {
  async function priced(credit: number) {
    const network = new Waiting(() => undefined);
    const service = await openWriting(databases, {}, () => '', {}, network);
    const { billing, clock, key, messages, storage } = service;
    const from = { from_month: '2026-12', micros: PRICE, per: 1, free_units: 0 };
    await billing.priceBook.put({ meter: 'messages', ...from });
    clock.advance(10 * 86_400_000);
    await billing.addCredit({ orgId: key.orgId, amountMicros: credit });
    const send = () => messages.send(tenantScopeOf(key), TEXT, { keyId: key.id });
    const refused = () =>
      send().then(
        () => null,
        (error: { code: string }) => error.code,
      );
    const standing = () => billing.creditStatus({ orgId: key.orgId, keyId: key.id, environment: 'live' });
    const balances = async () => {
      const { balanceMicros, reservedMicros: heldMicros } = await standing();
      return [Number(balanceMicros), Number(heldMicros)];
    };
    const bills = () =>
      storage.db.selectFrom('usage_events').select(['id', 'meter', 'count', 'key_id']).execute();
    const handed = (count: number) => until(async () => network.orders.length === count);
    return { ...service, network, send, refused, standing, balances, bills, handed };
  }

  it('is reserved until the network has it, and then paid for once', async () => {
    const { network, send, refused, balances, bills, handed, idle, key, clock } = await priced(3_000);
    const { id } = await send();
    await handed(1);
    expect(await balances()).toEqual([3_000, PRICE]);
    expect(await refused()).toBe('credit_exhausted');
    // The reservation stays while the network is tried.
    clock.advance(30 * 60_000);
    expect(await balances()).toEqual([3_000, PRICE]);
    network.orders[0]?.(null);
    await idle();
    expect(await balances()).toEqual([1_000, 0]);
    expect(await bills()).toEqual([{ id: `use_${id}`, meter: 'messages', count: 1, key_id: key.id }]);
    expect(await refused()).toBe('credit_exhausted');
  });

  it('is given back where the network refuses it', async () => {
    const { network, send, balances, bills, handed, idle } = await priced(PRICE);
    await send();
    await handed(1);
    network.orders[0]?.(new MessageCarrierError('filtered', 'No.'));
    await idle();
    expect([await balances(), await bills()]).toEqual([[PRICE, 0], []]);
    await send();
    await handed(2);
    network.orders[1]?.(null);
    await idle();
    expect(await balances()).toEqual([0, 0]);
  });

  it('costs nothing to whoever wants none, and for what confirms it', async () => {
    const { network, carrier, send, balances, bills, handed, idle } = await priced(PRICE);
    await carrier.write(PERSON, OURS, 'STOP');
    await handed(1);
    network.orders[0]?.(null);
    await idle();
    expect((await send()).failure_code).toBe('opted_out');
    expect([await balances(), await bills()]).toEqual([[PRICE, 0], []]);
  });

  it('is given back where the person writes STOP while the text waits', async () => {
    const { network, carrier, clock, send, balances, bills, handed, messages } = await priced(PRICE);
    const { id } = await send();
    await handed(1);
    clock.advance(1_000);
    await carrier.write(PERSON, OURS, 'STOP');
    await handed(2);
    network.orders[0]?.(new MessageCarrierError(null, 'The network is away.'));
    network.orders[1]?.(null);
    await until(async () => {
      clock.advance(5_000);
      return (await messages.store.byId(id))?.status === 'failed';
    });
    expect((await messages.store.byId(id))?.failure_code).toBe('opted_out');
    expect([network.orders.length, await balances(), await bills()]).toEqual([2, [PRICE, 0], []]);
  });

  it('is paid once where the network has the text and its answer is lost', async () => {
    const { network, clock, send, balances, bills, handed, messages } = await priced(PRICE);
    const { id } = await send();
    await handed(1);
    await messages.report({ id, state: 'delivered' });
    network.orders[0]?.(new MessageCarrierError(null, 'The connection was cut.'));
    await until(async () => {
      clock.advance(5_000);
      return (await bills()).length > 0;
    });
    expect([network.orders.length, await balances(), (await bills()).length]).toEqual([1, [0, 0], 1]);
  });

  it('is refused to an agent that has no credit, without a fault', async () => {
    const { messages, numbers, scope, agent, sent } = await priced(1);
    const codes: string[] = [];
    const texts = new AgentMessages(messages, numbers, ({ code }) => codes.push(code));
    const order = { agentId: agent.id, to: PERSON, body: 'Hello.' };
    expect(await texts.send(scope, order)).toBe('refused');
    expect([codes, await sent()]).toEqual([['credit_exhausted'], []]);
  });
});
