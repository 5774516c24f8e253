import type { AgentTurn } from './agent-turn.ts';
import type { TurnLatency } from './contract.ts';
import type { CallerUtterance } from './voice-lane.ts';

/** Latency counts from the true end of the caller's speech to the answer's first sample, on the media clock. */
export function turnLatency(
  asked: CallerUtterance,
  turn: { readonly askedAt: number; readonly firstSegmentAt: number | null },
  playedAtMs: number,
): TurnLatency {
  const total = Math.max(0, Math.round(playedAtMs - asked.endMs));
  const endpoint = Math.round(asked.atMs - asked.endMs);
  const asr = Math.round(asked.asrMs);
  // The rest belongs to the brain and the voice; speculation may have hidden both.
  const rest = Math.max(0, total - endpoint - asr);
  const thinking = (turn.firstSegmentAt ?? turn.askedAt) - turn.askedAt;
  const brain = Math.min(rest, Math.max(0, Math.round(thinking)));
  return { endpoint, asr, brain, tts: rest - brain, total };
}

const timesOf = ({ brainAskedAt: askedAt, words }: AgentTurn) => ({
  askedAt: askedAt ?? 0,
  firstSegmentAt: words.firstTextAt,
});

export class ResponseLatencies {
  readonly list: (TurnLatency & { turnId: number })[] = [];
  #asked: { readonly utterance: CallerUtterance; readonly turn: AgentTurn } | null = null;

  start(utterance: CallerUtterance, turn: AgentTurn): void {
    this.#asked = { utterance, turn };
  }

  cancel(): void {
    this.#asked = null;
  }

  /** Measures the first audio of an answer; an apology or an unrequested line does not count. */
  onFirstAudio(turn: AgentTurn, atMs: number): TurnLatency | null {
    if (this.#asked?.turn !== turn || turn.failure !== null) return null;
    const latency = turnLatency(this.#asked.utterance, timesOf(turn), atMs);
    this.#asked = null;
    this.list.push({ turnId: turn.id, ...latency });
    return latency;
  }
}
