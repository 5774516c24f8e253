/** One agent's part of a call; an agent that had the call twice has two. */
export interface AgentSpan {
  readonly agentId: string;
  readonly version: number;
  readonly fromMs: number;
  readonly toMs: number;
}

interface Spoken {
  readonly startMs: number;
  readonly endMs: number;
}

/** Returns the span that holds this moment; what precedes the first belongs to the first. */
export const spanAt = (spans: readonly Pick<AgentSpan, 'fromMs'>[], atMs: number): number =>
  Math.max(
    0,
    spans.findLastIndex(({ fromMs }) => fromMs <= atMs),
  );

/** Sums the turns and the talk time of what agents said, for each span. */
export function talkBySpan(
  spans: readonly Pick<AgentSpan, 'fromMs'>[],
  said: readonly Spoken[],
): { readonly turns: number; readonly talkMs: number }[] {
  const talk = spans.map(() => ({ turns: 0, talkMs: 0 }));
  for (const { startMs, endMs } of said) {
    const own = talk[spanAt(spans, startMs)];
    if (own === undefined) continue;
    own.turns += 1;
    own.talkMs += Math.max(0, endMs - startMs);
  }
  return talk;
}
