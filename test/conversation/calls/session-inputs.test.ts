// @requirement Omni: What went into a call is removed with its record, also where the record is deleted at once.

import { expect, it } from 'vitest';
import { CallStore } from '../../../src/conversation/calls/call-store.ts';
import { readSessionInputs, SessionInputs } from '../../../src/conversation/calls/index.ts';
import type { SessionTrace, TraceEvent } from '../../../src/conversation/replay/trace.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const says = (text: string): TraceEvent => [1, { kind: 'says', speech: 1, text, held: false }];
const traceOf = (events: readonly TraceEvent[]): SessionTrace => ({
  version: 1,
  settings: { language: 'en', persona: 'Maya', greeting: '', consentLine: '' },
  speculates: true,
  idle: null,
  host: null,
  guard: null,
  comparesTopics: false,
  events,
  isWhole: true,
  isMasked: false,
});

onBothDatabases('what went into a call', ({ open }) => {
  async function setup(isRedacted = false) {
    const storage = await open();
    const clock = new ManualClock(Date.now());
    const blobs = blobsIn(storage, clock);
    const calls = new CallStore({
      storage,
      blobs,
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
      clock,
      background: new BackgroundTasks({ clock }),
    });
    const principal = new OneKeyAccess().principal();
    const scope = tenantScopeOf(principal);
    const id = newId('ocl');
    await calls.open({
      id,
      principal,
      sessionLabel: null,
      externalId: null,
      language: 'en',
      voiceId: 'af_heart',
      voiceTier: 'natural',
      meta: null,
    });
    await calls.close(id, ENDED);
    /** `before` runs after the call's end and before its trace is stored. */
    const write = async (trace: SessionTrace, before: () => Promise<unknown> = async () => undefined) => {
      const redacts = async () => {
        await before();
        return isRedacted;
      };
      const inputs = new SessionInputs({
        storage,
        blobs,
        redacts,
        onError: (error) => expect.fail(`${error}`),
      });
      await inputs.write(scope, id, [null], trace);
      return await readSessionInputs(blobs, id);
    };
    return { storage, calls, scope, id, write };
  }

  it('is stored as it was recorded, whatever its length', async () => {
    const { write } = await setup();
    for (const count of [0, 1, 999, 1_000, 2_500]) {
      const trace = traceOf(Array.from({ length: count }, (_, at) => says(`Line ${at}.`)));
      expect(await write(trace)).toEqual(trace);
    }
  });

  it('is stored without words and numbers where the record is redacted', async () => {
    const { write } = await setup(true);
    const odd = { kind: 'spoken', of: 3, ruling: { account: 4711 } } as unknown as TraceEvent[1];
    const trace = await write(traceOf([says('Table 12.'), [7, odd]]));
    expect(trace).toMatchObject({
      isMasked: true,
      events: [
        [1, { text: 'Xxxxx 00.', speech: 1 }],
        [7, { of: 3, ruling: { account: 0 } }],
      ],
    });
  });

  it('is not kept where the call was deleted before it was stored', async () => {
    const { calls, scope, id, write } = await setup();
    expect(await write(traceOf([says('Hello.')]), () => calls.delete(scope, id))).toBeNull();
  });

  it('is not kept where the transcript was removed before it was stored', async () => {
    const { storage, id, write } = await setup();
    const remove = () =>
      acrossTenants(storage.db)
        .updateTable('omni_calls')
        .set({ transcript: null, transcript_removed_at: 1 })
        .where('id', '=', id)
        .execute();
    expect(await write(traceOf([says('Hello.')]), remove)).toBeNull();
  });
});
