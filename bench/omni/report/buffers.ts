import { percentile, type Report } from '../../harness/index.ts';
import { type Interruption, KNOWN_MS } from '../interruptions.ts';
import type { ResponseLatency } from '../response-latency.ts';
import { shareOf } from './time-figures.ts';

interface Recognized {
  readonly gaps: readonly number[];
  readonly ducks: readonly number[];
  readonly cuts: readonly number[];
  readonly beyond: readonly number[];
}

export function writeBuffers(
  report: Report,
  gaps: readonly ResponseLatency[],
  interruptions: readonly Interruption[],
): void {
  const found = interruptions.filter(({ silent, buffered }) => silent !== true && buffered !== undefined);
  const asked = gaps.filter(({ buffered }) => buffered !== undefined);
  if (found.length === 0 && asked.length === 0) return;
  const delays = [...new Set([...asked, ...found].flatMap(({ buffered = [] }) => buffered.map(delayOf)))];
  report.heading('What a buffer at the client costs');
  report.text(
    'All other figures are of a client that plays audio at once. Telephone gateways and browsers buffer 40 to 150 ms, so that ' +
      'late frames are heard in time. These are the same calls at the same moments, heard through such clients: each begins a ' +
      'speech that much later, and discards its buffer at an interruption. The last two columns say how much of what the server counts ' +
      'as heard a client with a buffer had not played yet.',
  );
  report.table(
    [
      'buffered',
      'response latency, p50',
      'p95',
      'ducked, p50',
      'p95',
      'interruption latency, p50',
      'p95',
      'not heard of played_ms, p50',
      'p95',
    ],
    [0, ...delays].map((delay) => {
      const heard = delay === 0 ? atOnce(asked, found) : behind(delay, asked, found);
      const columns = [heard.gaps, heard.ducks, heard.cuts, heard.beyond];
      return [`${delay} ms`, ...columns.flatMap((ms) => [shareOf(ms, 0.5), shareOf(ms, 0.95)])];
    }),
  );
  for (const delay of delays) {
    const { beyond } = behind(delay, asked, found);
    if (beyond.length === 0) continue;
    report.figure({
      name: `played_ms beyond what was heard, p50, client that buffers ${delay} ms`,
      value: Math.round(percentile(beyond, 0.5)),
      unit: 'ms',
    });
  }
}

const delayOf = ({ delayMs }: { readonly delayMs: number }): number => delayMs;

const cutsOf = (found: readonly Interruption[]): number[] => found.map(({ cutMs }) => cutMs ?? Infinity);

const atOnce = (asked: readonly ResponseLatency[], found: readonly Interruption[]): Recognized => ({
  gaps: asked.map(({ wholeMs }) => wholeMs),
  ducks: found.map(({ duckedMs }) => duckedMs ?? Infinity),
  cuts: cutsOf(found),
  beyond: found.flatMap(({ playedMs, heardMs }) =>
    playedMs === null || heardMs < KNOWN_MS ? [] : [playedMs - heardMs],
  ),
});

function behind(
  delay: number,
  asked: readonly ResponseLatency[],
  found: readonly Interruption[],
): Recognized {
  const of = <T extends { readonly delayMs: number }>(buffered: readonly T[] = []) =>
    buffered.filter(({ delayMs }) => delayMs === delay);
  return {
    gaps: asked.flatMap(({ buffered }) => of(buffered).map(({ wholeMs }) => wholeMs)),
    ducks: found.flatMap(({ buffered }) => of(buffered).map(({ duckedMs }) => duckedMs ?? Infinity)),
    cuts: cutsOf(found),
    beyond: found.flatMap(({ playedMs, buffered }) =>
      playedMs === null
        ? []
        : of(buffered).flatMap(({ heardMs }) => (heardMs < KNOWN_MS ? [] : [playedMs - heardMs])),
    ),
  };
}
