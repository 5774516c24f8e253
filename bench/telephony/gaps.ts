/** What a caller over SIP waits for an agent's answer, on a line that loses packets. */
import { agentSilent, Caller, type Clip, pause } from '../../src/caller/index.ts';
import { ask, firstSound } from '../omni/gaps.ts';
import type { Program } from '../omni/program.ts';
import { SipWire } from './sip-wire.ts';
import { LISTEN, NUMBER, RTP_PORTS, TRUNKS } from './trunk.ts';

const GREETED_WITHIN_MS = 10_000;
const BETWEEN_MS = 500;

/** Of a server that takes these calls. */
export const ENVIRONMENT = {
  TRUNKLINE_CARRIER: 'sip',
  TRUNKLINE_SIP_LISTEN: LISTEN,
  TRUNKLINE_SIP_RTP_PORTS: RTP_PORTS,
  TRUNKLINE_SIP_TRUNKS: TRUNKS,
};

export interface GapsAtLoss {
  readonly share: number;
  readonly ms: readonly number[];
  /** Questions that the agent began to answer before they were over. */
  readonly early: number;
  /** Nothing was heard within six seconds of the question. */
  readonly unanswered: number;
}

export interface Talks {
  readonly greeted: readonly (number | null)[];
  readonly gaps: readonly GapsAtLoss[];
}

/** The number of these calls has an agent from then on. */
export async function takeNumber(program: Program): Promise<void> {
  const agent = await send(program, '/v1/agents', {
    name: 'Notes',
    greeting: 'Good morning, this is the front desk.',
    persona: 'You take notes. We are open from nine to five. Parking is free behind the house.',
  });
  await send(program, '/v1/telephony/numbers', { phone_number: NUMBER, agent_id: agent.id });
}

/** From the answer to the first sound of the greeting, in ms; null where nothing was heard. */
export async function greetings(calls: number): Promise<(number | null)[]> {
  const found: (number | null)[] = [];
  for (let call = 0; call < calls; call++) {
    const caller = await Caller.over(new SipWire());
    const heard = await firstSound(caller, caller.began, caller.began + GREETED_WITHIN_MS);
    found.push(heard === null ? null : heard - caller.began);
    await caller.hangUp();
    await pause(BETWEEN_MS);
  }
  return found;
}

export async function gapsAtLoss(clips: readonly Clip[], share: number): Promise<GapsAtLoss> {
  const caller = await Caller.over(new SipWire({ share, seed: 26 }));
  await firstSound(caller, caller.began, caller.began + GREETED_WITHIN_MS);
  await agentSilent(caller, 600);
  const ms: number[] = [];
  let early = 0;
  for (const clip of clips) {
    const gap = await ask(caller, clip, 0);
    if (gap !== null && 'early' in gap) early++;
    else if (gap !== null) ms.push(gap.wholeMs);
    await agentSilent(caller, 600);
  }
  await caller.hangUp();
  return { share, ms, early, unanswered: clips.length - ms.length - early };
}

async function send({ url, key }: Program, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string };
}
