import { expect, it } from 'vitest';
import type { LiveCallDeps } from '../../../src/conversation/calls/index.ts';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import type { MediaLeg } from '../../../src/telephony/carriers/index.ts';
import { AgentCallFlow, type AgentCallFlowDeps } from '../../../src/telephony/dialling/agent-call-flow.ts';
import { CallMedia } from '../../../src/telephony/dialling/call-media.ts';
import type { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const settle = () => new Promise(setImmediate);

/** An agent is on its way to an answered call. */
function connecting() {
  const clock = new ManualClock();
  const log = createLog({ level: 'silent' });
  const leg = { bind: () => undefined, clear: () => undefined } as unknown as MediaLeg;
  const media = new CallMedia(leg, clock);
  const endings: unknown[] = [];
  const noted: unknown[] = [];
  let admit: (outcome: Error | null) => void = () => undefined;
  const admission = { reservationId: null, release: async () => undefined };
  const flow = new AgentCallFlow(
    {
      ...{ clock, log },
      access: {
        admit: () =>
          new Promise((resolve, reject) => {
            admit = (fault) => (fault === null ? resolve(admission) : reject(fault));
          }),
      },
      live: { clock, log, metrics: { ended: () => undefined } } as unknown as LiveCallDeps,
      profiles: { profileFor: async () => null },
    } as unknown as AgentCallFlowDeps,
    {
      ...{ agentId: 'agt_1', direction: 'outbound', number: '+15005550001', request: {} },
      settings: { consent_line: '', fallback: { kind: 'reject' } } as never,
    },
  );
  const call = {
    ...{ id: 'tcl_1', callId: 'ocl_1', media, isOver: false, tape: null },
    principal: { orgId: 'org_1', projectId: 'proj_1', environment: 'live' } as Principal,
    nextSessionId: () => 'ocl_1',
    scribe: { note: async (what: unknown) => void noted.push(what) },
    end: (ending: unknown) => void endings.push(ending),
  } as unknown as PhoneCall;
  flow.answered(call, media);
  return { media, endings, noted, admit };
}

const music = { enter() {}, audio() {}, key() {}, leave() {} };

it('leaves the line to a transfer that began before the agent came', async () => {
  const { media, endings, noted, admit } = connecting();
  media.setHandler(music);
  admit(null);
  await settle();
  expect([media.handler, endings, noted]).toEqual([music, [], []]);
});

it('does not end a call for want of an agent while a transfer has the line', async () => {
  const { media, endings, admit } = connecting();
  media.setHandler(music);
  admit(new Error('no lane is free'));
  await settle();
  expect([media.handler, endings]).toEqual([music, []]);
  const alone = connecting();
  alone.admit(new Error('no lane is free'));
  await settle();
  expect(alone.endings).toEqual([{ reason: 'failed', detail: 'no agent could take the call' }]);
});
