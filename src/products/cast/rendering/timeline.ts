import type { TimelineClip } from '../../../media/engine/index.ts';
import type { PlannedLine } from './plan.ts';
import { RATE } from './take.ts';

export interface Placed {
  readonly line: PlannedLine;
  readonly clip: TimelineClip;
}

export interface Timeline {
  readonly placed: readonly Placed[];
  readonly samples: number;
}

export interface ClipPosition {
  readonly at: number;
  readonly samples: number;
}

const inSamples = (milliseconds: number): number => Math.round((milliseconds * RATE) / 1000);
const LEAD_IN = inSamples(250);
const TAIL = inSamples(500);
/** The fade of a clip without overlap avoids a click and removes nothing audible. */
const EDGE = inSamples(5);
/** An interrupting clip fades in quickly; the interrupted one fades out over the overlap, up to this length. */
const COME_IN = inSamples(20);
const LONGEST_FADE = inSamples(400);

export function timelineOf(lines: readonly PlannedLine[], sounds: readonly ClipPosition[]): Timeline {
  const placed: { line: PlannedLine; clip: TimelineClip }[] = [];
  let end = LEAD_IN;
  for (const [at, line] of lines.entries()) {
    const { samples, at: place } = sounds[at]!;
    const before = placed.at(-1);
    const start = Math.max(
      end + inSamples(line.pauseMs),
      before === undefined ? LEAD_IN : earliest(before.clip),
    );
    const overlap = before === undefined ? 0 : Math.max(0, end - start);
    if (before !== undefined && overlap > 0)
      before.clip = { ...before.clip, fadeOut: Math.min(overlap, LONGEST_FADE, before.clip.samples) };
    placed.push({
      line,
      clip: {
        at: place,
        start,
        samples,
        fadeIn: Math.min(samples, overlap > 0 ? COME_IN : EDGE),
        fadeOut: Math.min(samples, EDGE),
        gain: 1,
        seed: Number.parseInt(line.take.slice(0, 8), 16),
      },
    });
    end = Math.max(end, start + samples);
  }
  return { placed, samples: end + TAIL };
}

/** A clip is interrupted after its middle at the earliest. */
const earliest = ({ start, samples }: TimelineClip): number => start + Math.round(samples / 2);

export const millisecondsOf = (samples: number): number => Math.round((samples * 1000) / RATE);

export const speakersOf = ({ placed }: Timeline): string[] => [
  ...new Set(placed.map(({ line }) => line.speaker)),
];
