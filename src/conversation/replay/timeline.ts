import { describe, seconds } from './compare.ts';
import { type Input, isDeed, isInput, type SessionTrace } from './trace.ts';

/** Returns the lines of a call's timeline: what came in, and what the session did. */
export function timelineOf({ events }: SessionTrace): string[] {
  return events.flatMap(([atMs, entry]) => {
    const line = isDeed(entry) ? `  → ${describe(entry)}` : isInput(entry) ? lineOf(entry) : null;
    return line === null ? [] : [`${seconds(atMs).padStart(10)}  ${line}`];
  });
}

function lineOf(input: Input): string | null {
  switch (input.kind) {
    case 'call':
      return input.method === 'take'
        ? laneLine(input.args[0] as LaneFields)
        : callLine(input.method, input.args);
    case 'input':
      return callLine(input.method, input.args);
    case 'brain': {
      const { kind, text, call } = input.event as {
        kind: string;
        text?: string;
        call?: { name: string };
      };
      return `brain ${input.of}: ${text === undefined ? (call?.name ?? kind) : `"${text}"`}`;
    }
    case 'brain_end':
      return `brain ${input.of}: ${input.fault === null ? 'ends' : `fails (${input.fault})`}`;
    case 'tool':
      return `tool call ${input.of}: ${(input.outcome as { kind: string }).kind}`;
    case 'meant':
    case 'heard':
      return input.ruling === null ? null : `rule ${input.ruling.rule}: ${input.ruling.kind}`;
    case 'timer':
      return `timer ${input.of}`;
    case 'work':
      return 'the work of a step is done';
    case 'similarity':
      return null;
    case 'passages':
      return input.isFound ? null : 'the knowledge search failed';
  }
}

interface LaneFields {
  readonly kind: string;
  readonly text?: string;
  readonly speech?: number;
  readonly reason?: string;
  readonly playedMs?: number;
}

function laneLine({ kind, text, speech, reason, playedMs }: LaneFields): string | null {
  if (kind === 'audio') return null;
  const parts = [
    text === undefined ? null : `"${text}"`,
    speech === undefined ? null : `speech ${speech}`,
    reason === undefined ? null : reason,
    playedMs === undefined ? null : `after ${Math.round(playedMs)} ms`,
  ].filter((part) => part !== null);
  return `line: ${[kind, ...parts].join(' ')}`;
}

const callLine = (method: string, args: readonly unknown[]): string =>
  `call: ${method}${args.length === 0 ? '' : ` ${JSON.stringify(args).slice(1, -1).slice(0, 200)}`}`;
