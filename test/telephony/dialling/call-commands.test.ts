/** Any node may get a request about a call; the node that owns the call executes it. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import type { TelephonyCallRow } from '../../../src/foundation/storage/tables/telephony.ts';
import { type CallCommand, CallCommands } from '../../../src/telephony/dialling/call-commands.ts';
import type { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const SCOPE = { org: 'org_a', project: 'proj_a', environment: 'live' } as never;
const KEYS: CallCommand = { kind: 'keys', digits: '12#' };
const BY = { kind: 'key', id: 'key_a', from: null, requestId: null } as const;

/** Delivers as PostgreSQL's notifications do: every node gets every message in order, the sender included. */
class Bus {
  readonly #listeners: { topic: string; onMessage: (payload: string) => void }[] = [];

  of(nodeId: string) {
    return {
      nodeId,
      notify: async (topic: string, payload: string) => {
        expect(payload.length).toBeLessThan(7_000);
        for (const one of this.#listeners)
          if (one.topic === topic) queueMicrotask(() => one.onMessage(payload));
      },
      listen: (topic: string, { onMessage }: { onMessage: (payload: string) => void }) => {
        const listener = { topic, onMessage };
        this.#listeners.push(listener);
        return () => void this.#listeners.splice(this.#listeners.indexOf(listener), 1);
      },
    };
  }
}

function cluster() {
  const bus = new Bus();
  const clock = new ManualClock();
  const done: unknown[] = [];
  const call = {
    id: 'tcl_live',
    media: {},
    leg: Promise.resolve({ sendKeys: async (digits: string) => void done.push({ digits }) }),
    end: (ending: unknown) => void done.push({ ending }),
    scribe: { written: Promise.resolve() },
  } as unknown as PhoneCall;
  const live = new Set(['one', 'two']);
  const node = (nodeId: string, calls: readonly PhoneCall[]) =>
    new CallCommands({
      storage: bus.of(nodeId),
      clock,
      ownerOf: async (_scope, id) => (id === 'ocl_live' && live.has('one') ? 'one' : null),
      phones: {
        find: (id) => calls.find((one) => one.id === id) ?? null,
        cancelExpected: () => false,
      },
      transfers: {
        transfer: async (scope, { id }, order) => {
          if (order.to === 'nobody')
            throw new ApiError('invalid_request', 'That is no telephone number.', { param: 'to' });
          done.push({ scope, id, order });
        },
      },
      supervisors: { whisper: async ({ id }, text, by) => void done.push({ id, text, by }) },
      onError: (error) => {
        throw error;
      },
    });
  const row = { id: 'tcl_live', call_id: 'ocl_live', state: 'answered' } as TelephonyCallRow;
  return { clock, done, live, row, one: node('one', [call]), two: node('two', []) };
}

const notLive = expect.objectContaining({ code: 'call_not_live', param: 'call_id' });

describe('a command for a call', () => {
  it('is done where the call lives, whichever node was asked', async () => {
    for (const at of ['one', 'two'] as const) {
      const nodes = cluster();
      const ending = { reason: 'completed' as const, detail: 'hung up by request' };
      const order = { to: '+15005550001', kind: 'warm' as const, briefing: 'é'.repeat(1000) };
      await nodes[at].run(SCOPE, nodes.row, KEYS);
      await nodes[at].run(SCOPE, nodes.row, { kind: 'transfer', order });
      await nodes[at].run(SCOPE, nodes.row, { kind: 'whisper', text: '\u0001'.repeat(1000), by: BY });
      await nodes[at].run(SCOPE, nodes.row, { kind: 'hang_up', ending });
      expect(nodes.done).toEqual([
        { digits: '12#' },
        { scope: SCOPE, id: 'tcl_live', order },
        { id: 'tcl_live', text: '\u0001'.repeat(1000), by: BY },
        { ending },
      ]);
      expect(nodes.clock.timers).toBe(0);
    }
  });

  it('is refused in the words of the node that owns the call', async () => {
    const { two, row } = cluster();
    const order = { to: 'nobody', kind: 'cold' as const };
    await expect(two.run(SCOPE, row, { kind: 'transfer', order })).rejects.toEqual(
      expect.objectContaining({
        code: 'invalid_request',
        message: 'That is no telephone number.',
        param: 'to',
      }),
    );
  });

  it('finds no call that is over, that nobody owns, or whose node is lost', async () => {
    const { one, two, row, live } = cluster();
    await expect(two.run(SCOPE, { ...row, state: 'ended' }, KEYS)).rejects.toEqual(notLive);
    await expect(two.run(SCOPE, { ...row, call_id: null }, KEYS)).rejects.toEqual(notLive);
    await expect(one.run(SCOPE, { ...row, id: 'tcl_other' }, KEYS)).rejects.toEqual(notLive);
    await expect(two.run(SCOPE, { ...row, id: 'tcl_other' }, KEYS)).rejects.toEqual(notLive);
    live.delete('one');
    await expect(two.run(SCOPE, row, KEYS)).rejects.toEqual(notLive);
  });

  it('ends as unavailable where the owner does not answer', async () => {
    const { one, two, row, clock } = cluster();
    one.stop();
    const asked = expect(two.run(SCOPE, row, KEYS)).rejects.toEqual(
      expect.objectContaining({ code: 'unavailable' }),
    );
    await expect.poll(() => clock.timers).toBe(1);
    clock.advance(15_000);
    await asked;
  });
});
