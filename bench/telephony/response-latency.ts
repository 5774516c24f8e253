import { pause, SimulatedCaller, type SpeechClip } from '../../src/apps/caller/index.ts';
import type { Program } from '../omni/program.ts';
import { ask, firstAudioMs } from '../omni/response-latency.ts';
import { SipWire } from './sip-wire.ts';
import { LISTEN, NUMBER, RTP_PORTS, TRUNKS } from './trunk.ts';

const GREETED_WITHIN_MS = 10_000;
const BETWEEN_MS = 500;
const AUDIBLE_DBFS = -45;
const QUIET_MS = 600;
const ANSWERED_MS = 2_500;
const QUIET_WITHIN_MS = 30_000;

export const ENVIRONMENT = {
  TRUNKLINE_CARRIER: 'sip',
  TRUNKLINE_SIP_LISTEN: LISTEN,
  TRUNKLINE_SIP_RTP_PORTS: RTP_PORTS,
  TRUNKLINE_SIP_TRUNKS: TRUNKS,
};

export interface ResponseLatencyAtLoss {
  readonly share: number;
  readonly ms: readonly number[];
  readonly early: number;
  readonly unanswered: number;
}

export interface Talks {
  readonly greeted: readonly (number | null)[];
  readonly gaps: readonly ResponseLatencyAtLoss[];
}

export async function takeNumber(program: Program): Promise<void> {
  const agent = await send(program, '/v1/agents', {
    name: 'Notes',
    greeting: 'Good morning, this is the front desk.',
    persona: 'You take notes. We are open from nine to five. Parking is free behind the house.',
  });
  await send(program, '/v1/telephony/numbers', { phone_number: NUMBER, agent_id: agent.id });
}

/** Returns the time from the answer to the first audio of the greeting, in ms; null where none came. */
export async function greetings(calls: number): Promise<(number | null)[]> {
  const found: (number | null)[] = [];
  for (let call = 0; call < calls; call++) {
    const caller = await SimulatedCaller.over(new SipWire());
    const heard = await firstAudioMs(caller, caller.began, caller.began + GREETED_WITHIN_MS);
    found.push(heard === null ? null : heard - caller.began);
    await caller.hangUp();
    await pause(BETWEEN_MS);
  }
  return found;
}

export async function responseLatencyAtLoss(
  clips: readonly SpeechClip[],
  share: number,
): Promise<ResponseLatencyAtLoss> {
  const caller = await SimulatedCaller.over(new SipWire({ share, seed: 26 }));
  if ((await firstAudioMs(caller, caller.began, caller.began + GREETED_WITHIN_MS)) === null)
    throw new Error(`no greeting was heard within ten seconds with ${100 * share} % of the packets lost`);
  await quiet(caller);
  const ms: number[] = [];
  let early = 0;
  for (const clip of clips) {
    const gap = await ask(caller, clip, 0);
    if (gap !== null && 'early' in gap) {
      early++;
      await pause(clip.endMs + ANSWERED_MS);
    } else if (gap !== null) ms.push(gap.wholeMs);
    await quiet(caller);
  }
  await caller.hangUp();
  return { share, ms, early, unanswered: clips.length - ms.length - early };
}

/** Waits until nothing has been audible for a while, because the line itself delivers silence and never ends. */
async function quiet(caller: SimulatedCaller): Promise<void> {
  const until = performance.now() + QUIET_WITHIN_MS;
  while (caller.playout.firstSound(performance.now() - QUIET_MS, AUDIBLE_DBFS) !== null) {
    if (performance.now() > until) throw new Error('the agent has spoken for half a minute without a pause');
    await pause(10);
  }
  if (caller.over) throw new Error('the server has ended the call between two questions');
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
