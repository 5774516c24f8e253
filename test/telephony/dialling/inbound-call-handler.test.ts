import { describe, expect, it } from 'vitest';
import type { IncomingCall } from '../../../src/telephony/carriers/index.ts';
import { InboundCallHandler } from '../../../src/telephony/dialling/inbound-call-handler.ts';
import { DEFAULT_SETTINGS } from '../../../src/telephony/dialling/number-settings.ts';

describe('a call to a number that nobody here has', () => {
  it('is told so, and not as if somebody had declined', async () => {
    const reception = new InboundCallHandler({
      numbers: { called: async () => null },
    } as unknown as ConstructorParameters<typeof InboundCallHandler>[0]);
    const reason = await new Promise((resolve) => {
      const incoming = {
        from: '+15005550001',
        to: '+14155550199',
        reject: async (why: string) => resolve(why),
      };
      reception.take(incoming as unknown as IncomingCall);
    });
    expect(reason).toBe('unknown');
  });
});

async function calledWith(row: { agent_id: string | null; settings: object; hasStanding?: boolean }) {
  const ended: unknown[] = [];
  const created: unknown[] = [];
  const reception = new InboundCallHandler({
    numbers: {
      called: async () => ({
        id: 'num_1',
        org_id: 'org_1',
        project_id: 'proj_1',
        environment: 'live',
        agent_id: row.agent_id,
        settings: JSON.stringify(row.settings),
      }),
    },
    standings: {
      of: async () =>
        row.hasStanding === false
          ? null
          : { orgId: 'org_1', projectId: 'proj_1', environment: 'live', entitlements: ['telephony'] },
    },
    storage: { transaction: async (work: (trx: object) => Promise<unknown>) => await work({}) },
    records: {
      create: async (_: unknown, __: unknown, call: unknown) => {
        created.push(call);
        return {};
      },
    },
    carrier: { name: 'sip' },
    askRoute: async () => ({ action: 'reject' }),
    ended: async (_: unknown, __: string, how: unknown) => void ended.push(how),
  } as unknown as ConstructorParameters<typeof InboundCallHandler>[0]);
  const reason = await new Promise((resolve) => {
    const incoming = {
      from: '+15005550001',
      to: '+14155550199',
      reject: async (why: string) => resolve(why),
    };
    reception.take(incoming as unknown as IncomingCall);
  });
  return { reason, ended, created };
}

describe('a call to a number of a customer', () => {
  it('is to nobody where no agent has the number, and is on record', async () => {
    const { reason, ended } = await calledWith({ agent_id: null, settings: {} });
    expect(reason).toBe('unknown');
    expect(ended).toEqual([{ reason: 'rejected', detail: 'the number has no agent' }]);
  });

  it('is declined where the project was deleted, and is on record with the reason', async () => {
    const { reason, ended, created } = await calledWith({
      agent_id: 'agt_1',
      settings: {},
      hasStanding: false,
    });
    expect(reason).toBe('rejected');
    expect(created).toMatchObject([{ number_id: 'num_1', from_number: '+15005550001' }]);
    expect(ended).toEqual([
      { reason: 'rejected', detail: 'the number’s project was deleted or has expired' },
    ]);
  });

  it('is declined where the customer’s own server says so', async () => {
    const route = { kind: 'url', url: 'https://example.com/route' };
    const { reason } = await calledWith({ agent_id: null, settings: { ...DEFAULT_SETTINGS, route } });
    expect(reason).toBe('rejected');
  });
});
