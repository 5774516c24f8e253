// @requirement Telephony: An agent that may do so calls a caller back, once, whose call was lost with its node; the call goes on.
import { expect, it } from 'vitest';
import { completeFields } from '../../../src/conversation/agents/fields.ts';
import { AgentStore, Profiles } from '../../../src/conversation/agents/index.ts';
import type { CallCheckpoint } from '../../../src/conversation/calls/call-checkpoint.ts';
import { CallCheckpoints, CallStore, callIdOf } from '../../../src/conversation/calls/index.ts';
import { Sealer, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { callBackRequest } from '../../../src/telephony/dialling/call-backs.ts';
import { callsBack, TelephonyCallStore } from '../../../src/telephony/dialling/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const principal = new OneKeyAccess().principal();
const OURS = tenantScopeOf(principal);

onBothDatabases('calling back', ({ open }) => {
  const lost = async ({ from = '+15005550001', seenAgoMs = 61_000 } = {}) => {
    const storage = await open();
    const clock = new ManualClock();
    const background = new BackgroundTasks({ clock });
    const billing = createBilling({ storage, clock, background });
    const checkpoints = new CallCheckpoints({ storage, clock, sealer: new Sealer(Buffer.alloc(32, 1), 'c') });
    const calls = new CallStore({
      storage,
      blobs: blobsIn(storage, clock),
      billing,
      clock,
      background,
      checkpoints,
    });
    const records = new TelephonyCallStore({
      storage,
      clock,
      billing,
      webhooks: { publish: async () => null },
    });
    const agents = new AgentStore(storage, clock);
    const fields = completeFields({ name: 'Maya', call_back_when_lost: true });
    const agent = await agents.create(OURS, fields, false);
    const id = newId('tcl');
    const session = callIdOf(id);
    await storage.transaction((trx) =>
      records.create(trx, OURS, {
        id,
        key_id: null,
        carrier: 'loopback',
        direction: 'inbound',
        from_number: from,
        to_number: '+14155550100',
        number_id: 'num_1',
        agent_id: agent.id,
        campaign_id: null,
        state: 'ringing',
        request: '{}',
        scheduled_at: null,
      }),
    );
    await records.answered(OURS, id);
    const voice = { language: 'en', voiceId: 'v', voiceTier: 'standard' } as const;
    const label = { sessionLabel: null, externalId: null, meta: null };
    const held = await calls.open({ id: session, partOf: session, principal, ...label, ...voice });
    const state = { agentId: agent.id, agentVersion: 1 } as CallCheckpoint;
    expect(held !== null && (await checkpoints.write(held, state))).toBe(true);
    await records.note(OURS, id, { omni_call_id: session });
    const dial = async () => undefined;
    const back = callsBack({ clock, records, checkpoints, profiles: new Profiles(agents), dial });
    const now = clock.now();
    return await back({ id: session, scope: OURS, at: now, seenAt: now - seenAgoMs });
  };

  it('is for callers with a number whose server was lost minutes ago, not hours', async () => {
    expect(await lost()).not.toBeNull();
    expect(await lost({ from: 'anonymous' })).toBeNull();
    expect(await lost({ seenAgoMs: 599_000 })).not.toBeNull();
    expect(await lost({ seenAgoMs: 601_000 })).toBeNull();
  });
});

it('keeps the longest time that the lost call might last', () => {
  const leg = (request: object) =>
    ({ request: JSON.stringify(request) }) as Parameters<typeof callBackRequest>[0];
  const asked = {
    variables: { name: 'Ana' },
    max_duration_s: 60,
    message: 'Hello',
    redial: { times: 3, after_s: 1 },
  };
  expect(callBackRequest(leg(asked), 'ocl_1')).toEqual({
    variables: { name: 'Ana' },
    max_duration_s: 60,
    amd: { mode: 'detect' },
    resumes: 'ocl_1',
  });
  expect(callBackRequest(leg({}), 'ocl_1')).toEqual({ amd: { mode: 'detect' }, resumes: 'ocl_1' });
});
