import { agentSharesOf, type Conversation, type Role, shareAt, type Utterance } from '../trace/index.ts';
import type { Facts, RecapDraft, RecapShare, SpeakerOfCall } from './contract.ts';

const lengthOf = ({ startMs, endMs }: Utterance): number => Math.max(0, endMs - startMs);
const round = (share: number): number => Math.round(share * 1000) / 1000;

export function factsOf({ utterances, timed }: Conversation): Facts {
  const talk: Record<Role, number> = { agent: 0, customer: 0, unknown: 0 };
  for (const utterance of utterances) talk[utterance.speaker] += lengthOf(utterance);
  const all = talk.agent + talk.customer + talk.unknown;
  const share = (role: Role) => (all === 0 ? 0 : round(talk[role] / all));
  return {
    talk_ratio: { agent: share('agent'), customer: share('customer'), unknown: share('unknown') },
    interruptions: {
      by_agent: interruptions(utterances, 'agent'),
      by_customer: interruptions(utterances, 'customer'),
    },
    longest_silence_s: longestSilence(utterances),
    agent_response_ms: timed ? responses(utterances) : null,
    speakers: speakersOf(utterances),
  };
}

/** Returns null where one agent at most had the call. */
export function sharesOf(
  conversation: Conversation,
  { promises }: Pick<RecapDraft, 'promises'>,
): RecapShare[] | null {
  const { agents = [], utterances, timed } = conversation;
  const shares = agentSharesOf(conversation);
  if (shares === null) return null;
  return shares.map((share, at) => {
    const own = utterances.filter(({ startMs }) => shareAt(agents, startMs) === at);
    return {
      ...share,
      agent_response_ms: timed ? responses(own) : null,
      promises: promises.filter(({ start_ms }) => shareAt(agents, start_ms) === at).length,
    };
  });
}

const interruptions = (utterances: readonly Utterance[], by: Role): number =>
  utterances.filter((utterance, at) => {
    const before = utterances[at - 1];
    return (
      utterance.speaker === by &&
      before !== undefined &&
      before.speaker !== by &&
      utterance.startMs < before.endMs
    );
  }).length;

function longestSilence(utterances: readonly Utterance[]): number {
  let quietFrom = utterances[0]?.endMs ?? 0;
  let longest = 0;
  for (const { startMs, endMs } of utterances) {
    longest = Math.max(longest, startMs - quietFrom);
    quietFrom = Math.max(quietFrom, endMs);
  }
  return longest / 1000;
}

function responses(utterances: readonly Utterance[]): Facts['agent_response_ms'] {
  const waits = utterances
    .flatMap((answer, at) => {
      const asked = utterances[at - 1];
      return answer.speaker === 'agent' && asked?.speaker === 'customer'
        ? [Math.max(0, answer.startMs - asked.endMs)]
        : [];
    })
    .sort((a, b) => a - b);
  if (waits.length === 0) return null;
  const at = (share: number) => waits[Math.ceil(share * waits.length) - 1] as number;
  return { p50: at(0.5), p95: at(0.95) };
}

function speakersOf(utterances: readonly Utterance[]): SpeakerOfCall[] {
  const found = new Map<string, SpeakerOfCall>();
  for (const utterance of utterances) {
    const label = utterance.label ?? utterance.speaker;
    const talk = (found.get(label)?.talk_ms ?? 0) + lengthOf(utterance);
    found.set(label, { label, role: utterance.speaker, talk_ms: talk });
  }
  return [...found.values()];
}

export const withRoles = (
  conversation: Conversation,
  roles: Readonly<Record<string, Role>>,
): Conversation => ({
  ...conversation,
  utterances: conversation.utterances.map((utterance) => ({
    ...utterance,
    speaker: roles[utterance.label ?? utterance.speaker] ?? utterance.speaker,
  })),
});
