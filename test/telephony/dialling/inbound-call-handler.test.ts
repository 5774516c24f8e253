/** Calls that come in to numbers of nobody. */
import { describe, expect, it } from 'vitest';
import type { IncomingCall } from '../../../src/telephony/carriers/index.ts';
import { InboundCallHandler } from '../../../src/telephony/dialling/inbound-call-handler.ts';

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
