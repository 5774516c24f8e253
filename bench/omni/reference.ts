/** What the agent would have been heard saying: the same words in the same voice are the same samples, so that what was
 * heard can be held against what was meant, sample for sample. */
import type { Heard } from './ear.ts';
import { RATE } from './sound.ts';

const BLOCK = RATE / 200;
const BLOCK_MS = 5;
/** Below this a block of the reference says nothing about the gain. */
const AUDIBLE = 120;
const DUCKED_GAIN = 0.1;
const FULL_GAIN = 0.9;
/** 40 ms of a voice. */
const DUCKED_BLOCKS = 8;

export interface Level {
  /** When the block began to be heard. */
  readonly at: number;
  readonly gain: number;
  /** There was something to be heard. */
  readonly meant: boolean;
}

export interface Match {
  readonly levels: readonly Level[];
  /** Samples heard at full level from the start of the speech until it was first lowered. */
  readonly fullSamples: number;
}

/** `heard` begins with the reference's first sample and goes on in its order until it is lowered. */
export function match(heard: readonly Heard[], reference: Int16Array): Match {
  const levels: Level[] = [];
  let position = 0;
  let full = 0;
  let lowered = false;
  for (const { at, samples } of heard) {
    for (let start = 0; start < samples.length; start += BLOCK, position += BLOCK) {
      const block = samples.subarray(start, start + BLOCK);
      const meant = reference.subarray(position, position + BLOCK);
      const level = rms(meant);
      // A pause is as quiet as a lowered voice; whether it was lowered by then shows when the voice goes on.
      const gain = level >= AUDIBLE ? rms(block) / level : 0;
      if (level >= AUDIBLE && !lowered && gain < FULL_GAIN) lowered = true;
      if (!lowered) full = position + block.length;
      levels.push({ at: at + (start / BLOCK) * BLOCK_MS, gain, meant: level >= AUDIBLE });
    }
  }
  return { levels, fullSamples: full };
}

/** When the agent was first heard 20 dB lower for longer than a moment; null: it never was. A pause before it counts, since
 * the caller heard nothing from there on. */
export function duckedAt({ levels }: Match, from: number, until: number): number | null {
  let since: number | null = null;
  let audible = 0;
  for (const { at, gain, meant } of levels) {
    if (at < from || at > until) continue;
    if (gain > DUCKED_GAIN) {
      since = null;
      audible = 0;
      continue;
    }
    since ??= at;
    audible += Number(meant);
    if (audible >= DUCKED_BLOCKS) return since;
  }
  return null;
}

function rms(samples: Int16Array): number {
  let power = 0;
  for (const sample of samples) power += sample * sample;
  return samples.length === 0 ? 0 : Math.sqrt(power / samples.length);
}
