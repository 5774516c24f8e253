// @requirement Billing: A stream is billed once for what it reports.

import { expect, it } from 'vitest';
import { StreamMeter } from '../../../../src/edge/surfaces/hear/stream-meter.ts';
import type { Principal } from '../../../../src/foundation/access/contract.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { makeOrganization } from '../../../foundation/billing/organization.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { unlimitedAdmission } from '../../server/fixtures/admission.ts';

const RATE = 16_000;
const NOON = Date.UTC(2026, 10, 21, 12);

onBothDatabases('what a stream costs', (databases) => {
  async function open() {
    const storage = await databases.open();
    const clock = new ManualClock(NOON);
    const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
    const organization = await makeOrganization(storage);
    const principal: Principal = { ...new OneKeyAccess().principal(), ...organization };
    const meter = new StreamMeter({ billing, clock }, principal, unlimitedAdmission(), RATE);
    return {
      meter,
      hear: (seconds: number) => meter.audio(seconds * RATE * 2),
      billed: async () =>
        (await storage.db.selectFrom('usage_events').select('milliseconds').execute()).map((row) =>
          Number(row.milliseconds),
        ),
    };
  }

  it('is owed from the moment that words are shown, once, and is written when the stream is cut before its final', async () => {
    const { meter, hear, billed } = await open();
    hear(10);
    meter.onFinalText({ start: 0.5, end: 4 });
    meter.onFinalText({ start: 0.5, end: 3 });
    meter.onFinalText({ start: 0.5, end: 4 });
    expect(meter.billedSeconds).toBe(4);
    await meter.record();
    await meter.record();
    meter.onFinalText({ start: 0.5, end: 6.5 });
    const cut = meter.record();
    meter.release(cut);
    await cut;
    expect(await billed()).toEqual([4_000, 2_500]);
  });

  it('is nothing without words, and never more than the audio that came', async () => {
    const { meter, hear, billed } = await open();
    hear(3);
    await meter.record();
    meter.onFinalText({ start: 0, end: 9 });
    await meter.record();
    expect(await billed()).toEqual([3_000]);
  });

  it('leaves out the audio of an utterance that failed', async () => {
    const { meter, hear, billed } = await open();
    hear(20);
    meter.onFinalText({ start: 0, end: 5 });
    meter.onRecognitionFailed();
    meter.onFinalText({ start: 12, end: 15 });
    meter.onFinalText({ start: 16, end: 18 });
    await meter.record();
    expect(await billed()).toEqual([5_000 + 3_000 + 3_000]);
  });
});
