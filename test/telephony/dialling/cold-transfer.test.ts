// @requirement Transfers: A cold transfer runs over this server where the trunk has no `refer`.
/** The carrier would carry the call on unmetered, so this server calls the target and connects the two. */
import { describe, expect, it } from 'vitest';
import type { Log } from '../../../src/foundation/platform/log.ts';
import type { TelephonyCallRow } from '../../../src/foundation/storage/tables/telephony.ts';
import { CarrierError, type MediaLeg, type MediaSink } from '../../../src/telephony/carriers/index.ts';
import type { HandOverOrder } from '../../../src/telephony/dialling/agent-media-handler.ts';
import type { DialOrder } from '../../../src/telephony/dialling/call-dispatcher.ts';
import { CallMedia } from '../../../src/telephony/dialling/call-media.ts';
import type { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';
import { TransferSlot } from '../../../src/telephony/dialling/transfer-slot.ts';
import { Transfers } from '../../../src/telephony/dialling/transfers.ts';
import type { WarmTransfer } from '../../../src/telephony/dialling/warm-transfer.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const TARGET = '+15005550020';
const OWN = '+14155550100';
const settle = () => new Promise(setImmediate);

function media(clock: ManualClock) {
  const sent: Uint8Array[] = [];
  let sink: MediaSink = { audio: () => undefined };
  const leg = {
    bind: (given: MediaSink) => {
      sink = given;
    },
    send: (frames: Uint8Array) => void sent.push(frames),
    clear: () => void sent.splice(0),
    stats: () => ({ received: { frames: 0 } }),
  } as unknown as MediaLeg;
  return { media: new CallMedia(leg, clock), sent, says: (frames: Uint8Array) => sink.audio(frames) };
}

interface Options {
  readonly claims?: () => Promise<void>;
  readonly telephone?: string;
  readonly denoise?: readonly string[];
  /** The carrier connects the two ends by itself, or refuses to. */
  readonly byCarrier?: () => Promise<void>;
}

function open({ claims = async () => undefined, telephone, denoise = [], byCarrier }: Options = {}) {
  const scope = scopeFor('org_1', { projectId: 'proj_1', environment: 'live' });
  const clock = new ManualClock();
  const happened: unknown[] = [];
  const dialed: DialOrder[] = [];
  let callerLeft: () => void = () => undefined;
  const caller = media(clock);
  const targets = media(clock);
  const person = {
    leg: Promise.resolve({}),
    end: (ending: object) => void happened.push(['person ended', ending]),
  } as unknown as PhoneCall;
  const resumes = async () => void happened.push('the agent is back');
  const call = {
    id: 'tcl_1',
    scope,
    transfers: new TransferSlot(),
    media: caller.media,
    tape: null,
    isOver: false,
    principal: { orgId: 'org_1' },
    plan: { resume: resumes },
    leg: Promise.resolve({
      canTransfer: telephone !== undefined || byCarrier !== undefined,
      transfer: () => expect.fail('the carrier is not to be asked'),
    }),
    transfer: byCarrier ?? (() => expect.fail('the carrier is not to be asked')),
    whenOver: (task: () => void) => {
      callerLeft = task;
    },
    end: (ending: object) => void happened.push(['caller ended', ending]),
  };
  const row = { id: 'tcl_1', direction: 'inbound', to_number: OWN, agent_id: 'agt_1', call_id: 'ocl_1' };
  const transfers = new Transfers({
    storage: { transaction: async (work: (trx: object) => Promise<unknown>) => await work({}) },
    clock,
    log: { warn: () => undefined } as unknown as Log,
    dispatcher: {
      owned: async (_: unknown, number: string) => ({ id: 'num_1', phone_number: number, settings: '{}' }),
      dial: async (order: DialOrder) => {
        dialed.push(order);
        return person;
      },
    },
    records: {
      find: async () => row,
      create: async (_trx: object, _scope: object, made: object) => void happened.push(['record', made]),
      claim: async (_trx: object, _scope: object, id: string) =>
        ({ id, to_number: TARGET }) as TelephonyCallRow,
      transferring: async () => {
        if (byCarrier === undefined) expect.fail('the call is not handed to its carrier');
      },
    },
    guards: {
      checkTarget: (to: string) => void happened.push(['target', to]),
      check: async () => void happened.push('guards'),
      checkInClaim: async () => {
        happened.push('guards in the claim');
        await claims();
      },
    },
    profiles: { profileFor: async () => ({ fields: { language: 'en', denoise } }) },
    denoise: ({ wire }: { wire: string }, environment: string) => {
      happened.push(['without noise', wire, environment]);
      return null;
    },
    speak: async () => new Uint8Array(160),
    redacts: async () => false,
    isTelephone: async (_: unknown, to: string) => to === telephone,
  } as unknown as ConstructorParameters<typeof Transfers>[0]);
  const leaves = () => {
    call.isOver = true;
    callerLeft();
  };
  const handOn = async (to = TARGET) => {
    await transfers.transfer(scope, call as unknown as PhoneCall, { to, kind: 'cold' });
    return dialed[0]?.plan as WarmTransfer;
  };
  const warm = async (to: string) => {
    await transfers.transfer(scope, call as unknown as PhoneCall, { to, kind: 'warm' });
    return dialed.at(-1)?.plan as WarmTransfer;
  };
  const handOver = (order: HandOverOrder) => transfers.handOver(call as unknown as PhoneCall, order);
  const forward = async () => {
    await transfers.forward(call as unknown as PhoneCall, TARGET);
    return dialed[0]?.plan as WarmTransfer;
  };
  const agentIsBack = () => happened.filter((one) => one === 'the agent is back').length;
  return {
    clock,
    happened,
    dialed,
    caller,
    targets,
    person,
    handOn,
    warm,
    handOver,
    forward,
    leaves,
    agentIsBack,
  };
}

describe('a cold transfer that no carrier meters', () => {
  it('dials the target as a call of its own, with the guards asked, and connects whoever answers at once', async () => {
    const { happened, dialed, caller, targets, person, handOn } = open();
    const plan = await handOn();
    const made = { call_id: 'ocl_1', direction: 'outbound', from_number: OWN, to_number: TARGET };
    expect(happened).toMatchObject([
      ['target', TARGET],
      ['target', TARGET],
      'guards',
      'guards in the claim',
      ['record', made],
    ]);
    expect(dialed).toMatchObject([{ principal: { orgId: 'org_1' }, row: { to_number: TARGET } }]);
    plan.answered(person, targets.media);
    const [one, other] = [new Uint8Array(160).fill(1), new Uint8Array(160).fill(2)];
    caller.says(one);
    targets.says(other);
    expect([targets.sent.at(-1), caller.sent.at(-1)]).toEqual([one, other]);
    plan.ended();
    expect(happened.at(-1)).toEqual([
      'caller ended',
      { reason: 'completed', detail: `transferred to ${TARGET}` },
    ]);
  });

  it('takes the noise out of what the person hears where the agent asks for that, and nowhere else', async () => {
    for (const denoise of [['transfer'], ['recording']]) {
      const { happened, targets, person, handOn } = open({ denoise });
      (await handOn()).answered(person, targets.media);
      expect(happened.filter((one) => Array.isArray(one) && one[0] === 'without noise')).toEqual(
        denoise[0] === 'transfer' ? [['without noise', 'pcmu', 'live']] : [],
      );
    }
  });

  it('brings the agent back where nobody answers, or the call may not be dialed', async () => {
    const rings = open();
    (await rings.handOn()).ended();
    await settle();
    expect(rings.happened.at(-1)).toBe('the agent is back');
    const refused = open({ claims: () => Promise.reject(new Error('too many calls')) });
    await expect(refused.handOn()).rejects.toThrow('too many calls');
    await settle();
    expect(refused.happened.at(-1)).toBe('the agent is back');
  });

  it('calls a telephone of this server by itself, whatever the trunk could do', async () => {
    const address = 'sip:reception@phones.example.com';
    for (const telephone of [TARGET, address]) {
      const { dialed, handOn } = open({ telephone });
      await handOn(telephone);
      expect(dialed).toHaveLength(1);
    }
    await expect(open().handOn(address)).rejects.toMatchObject({ code: 'invalid_request', param: 'to' });
  });

  it('stops ringing when the caller hangs up', async () => {
    const { happened, handOn, leaves } = open();
    await handOn();
    leaves();
    expect(happened.at(-1)).toEqual(['person ended', { reason: 'canceled', detail: 'the caller hung up' }]);
  });

  it('ends a forwarded call that nobody takes, for which there is no agent', async () => {
    const { happened, forward } = open();
    (await forward()).ended();
    await settle();
    expect(happened.at(-1)).toEqual([
      'caller ended',
      { reason: 'failed', detail: 'nobody accepted the transfer' },
    ]);
  });
});

const OTHER = '+15005550021';
const planOf = (order: DialOrder | undefined) => (order as DialOrder).plan as WarmTransfer;
const inProgress = expect.objectContaining({
  code: 'transfer_refused',
  message: expect.stringContaining(TARGET),
});

// @requirement Transfers: A call has one transfer at a time; another is refused and leaves the first as it is.
describe('a second transfer of a call', () => {
  it('is refused while the first rings, and possible once that has failed', async () => {
    const { dialed, warm, handOn, agentIsBack } = open();
    const [first, second] = await Promise.allSettled([warm(TARGET), warm(OTHER)]);
    expect([first.status, second]).toEqual(['fulfilled', { status: 'rejected', reason: inProgress }]);
    await expect(handOn(OTHER)).rejects.toEqual(inProgress);
    expect([dialed.length, agentIsBack()]).toEqual([1, 0]);
    planOf(dialed[0]).ended();
    await settle();
    expect(agentIsBack()).toBe(1);
    await warm(OTHER);
    expect(dialed).toHaveLength(2);
  });

  it('leaves the caller with the person who has accepted', async () => {
    const { caller, targets, person, warm } = open();
    const plan = await warm(TARGET);
    plan.answered(person, targets.media);
    targets.media.key('1');
    await expect(warm(OTHER)).rejects.toEqual(inProgress);
    const frames = new Uint8Array(160).fill(7);
    caller.says(frames);
    expect(targets.sent.at(-1)).toEqual(frames);
  });

  it('is possible after one that failed before anybody was called', async () => {
    let isRefused = true;
    const { dialed, warm } = open({
      claims: async () => {
        if (isRefused) throw new Error('too many calls');
      },
    });
    await expect(warm(TARGET)).rejects.toThrow('too many calls');
    isRefused = false;
    await warm(OTHER);
    expect(dialed).toHaveLength(1);
  });

  it('by an agent that has left waits for the carrier’s answer, and the agent is back where that is no', async () => {
    let refuse: () => void = () => undefined;
    const byCarrier = () =>
      new Promise<void>((_, reject) => {
        refuse = () => reject(new CarrierError('refused', '603 Decline'));
      });
    const { dialed, handOn, handOver, agentIsBack } = open({ byCarrier });
    const first = expect(handOn()).rejects.toMatchObject({ code: 'transfer_refused' });
    await settle();
    await handOver({ to: OTHER, summary: '' });
    expect([dialed.length, agentIsBack()]).toEqual([0, 0]);
    refuse();
    await first;
    await settle();
    expect([dialed.length, agentIsBack()]).toEqual([0, 1]);
  });

  it('is refused as long as a queue calls one number after the other', async () => {
    const { clock, dialed, warm, handOver, agentIsBack } = open();
    const manner = { kind: 'queue' as const, agent: 'leaves' as const, also: [], waitSeconds: 10 };
    await handOver({ to: TARGET, summary: '', manner });
    for (let calls = 1; calls <= 3; calls += 1) {
      await settle();
      expect(dialed).toHaveLength(calls);
      await expect(warm(OTHER)).rejects.toEqual(inProgress);
      planOf(dialed[calls - 1]).ended();
      await expect(warm(OTHER)).rejects.toEqual(inProgress);
      clock.advance(4_000);
    }
    await settle();
    expect(agentIsBack()).toBe(1);
    await warm(OTHER);
    expect(dialed).toHaveLength(4);
  });
});
