/** Calls end before they cost more than was reserved: the leg by the minute, the agent by the second. */
import { expect, it } from 'vitest';
import { AdmissionMonitor } from '../../../src/conversation/calls/index.ts';
import type { CallMedia } from '../../../src/telephony/dialling/call-media.ts';
import { CallWatchdog } from '../../../src/telephony/dialling/call-watchdog.ts';
import type { CallEnding } from '../../../src/telephony/dialling/contract.ts';
import { bearer, openService } from '../../foundation/access/access-service.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const mediaThatTalks = (lasted: () => number) =>
  ({
    silentMs: 0,
    isOneWay: false,
    get talkedMs() {
      return lasted();
    },
  }) as unknown as CallMedia;

const TEN_MINUTES_MS = 600_000;

onBothDatabases('the last credit', (databases) => {
  async function open(use: 'telephony.call' | 'omni.call', credit: number) {
    const storage = await databases.open();
    const { access, billing, clock, organization, makeKey } = await openService(storage);
    databases.after(() => access.close());
    await billing.addCredit({ orgId: organization.orgId, amountMicros: credit });
    const { principal } = await access.authorize(bearer((await makeKey()).text), { kind: 'key' });
    const admission = await access.admit(principal!, use, { realtime: false });
    const began = clock.monotonic();
    const lasted = () => clock.monotonic() - began;
    let asked: Promise<unknown> = Promise.resolve();
    const recheck = (used: number) => {
      const answer = admission.recheck(used);
      asked = answer.catch(() => undefined);
      return answer;
    };
    const talk = async (isOver: () => boolean, atMost: number) => {
      for (let passed = 0; passed < atMost && !isOver(); passed += 100) {
        clock.advance(100);
        await asked;
        await Promise.resolve();
      }
      return lasted();
    };
    return { storage, clock, lasted, recheck, talk };
  }

  it.each([1, 2])(
    'of %i minutes on the line is not overdrawn by a minute that was begun',
    async (minutes) => {
      const { clock, lasted, recheck, talk } = await open('telephony.call', minutes * 10_000);
      const media = mediaThatTalks(lasted);
      const endings: CallEnding[] = [];
      const end = (ending: CallEnding) => endings.push(ending);
      const rest = { oneWay: () => undefined, failed: (error: unknown) => expect(error).toBeNull() };
      const watch = new CallWatchdog({
        ...{ clock, media, admission: { recheck }, maxDurationMs: 3_600_000, end },
        ...rest,
      });
      const lastedMs = await talk(() => endings.length > 0, 300_000);
      watch.stop();
      expect(endings[0]).toEqual({ reason: 'completed', detail: 'credit_exhausted' });
      expect(lastedMs).toBeGreaterThan(minutes * 60_000 - 4_000);
      expect(lastedMs).toBeLessThanOrEqual(minutes * 60_000);
    },
  );

  it.each([30_000, 61_000])('of %i ms with an agent is not overdrawn', async (paidMs) => {
    const { clock, lasted, recheck, talk } = await open('omni.call', Math.ceil((paidMs * 50_000) / 60_000));
    const refusals: string[] = [];
    const watch = new AdmissionMonitor({
      clock,
      check: (leadMs) => recheck(lasted() + leadMs),
      refused: ({ code }) => refusals.push(code),
      failed: (error) => expect(error).toBeNull(),
    });
    watch.start();
    const lastedMs = await talk(() => refusals.length > 0, 120_000);
    watch.stop();
    expect(refusals).toEqual(['credit_exhausted']);
    expect(lastedMs).toBeGreaterThan(paidMs - 2_000);
    expect(lastedMs).toBeLessThanOrEqual(paidMs);
  });

  it('is no matter while the database is away: calls go on for ten minutes without it', async () => {
    const phone = await open('telephony.call', 10_000);
    const agent = await open('omni.call', 10_000);
    const endings: CallEnding[] = [];
    const refusals: string[] = [];
    let unanswered = 0;
    const failed = () => {
      unanswered += 1;
    };
    const watchdog = new CallWatchdog({
      clock: phone.clock,
      media: mediaThatTalks(phone.lasted),
      admission: { recheck: phone.recheck },
      maxDurationMs: 3_600_000,
      end: (ending) => endings.push(ending),
      oneWay: () => undefined,
      failed,
    });
    const call = new AdmissionMonitor({
      clock: agent.clock,
      check: (leadMs) => agent.recheck(agent.lasted() + leadMs),
      refused: ({ code }) => refusals.push(code),
      failed,
    });
    call.start();
    await phone.storage.close();
    await agent.storage.close();
    await phone.talk(() => endings.length > 0, TEN_MINUTES_MS);
    await agent.talk(() => refusals.length > 0, TEN_MINUTES_MS);
    watchdog.stop();
    call.stop();
    expect([endings, refusals]).toEqual([[], []]);
    expect(unanswered).toBeGreaterThan(100);
  });
});
