/**
 * Measures how well voice activity separates speech from noise at 10 dB: the area under its ROC curve, by the level
 * of the clean recording.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { inferenceLibrary } from '../../src/media/engine/index.ts';
import { type Report, runNative } from '../harness/index.ts';
import { buildPrograms } from '../kernels/build.ts';
import { loudFrames, noisePaths, readClip, spokenClips, thin } from './clips.ts';
import type { StoredPart } from './parts.ts';

const FRAME = 512;
const SNR_DB = 10;
const PROGRAM = 'vad_probabilities';
export interface VoiceData {
  readonly recordings: number;
  readonly frames: number;
  readonly area: number;
}

export function measureVoiceActivity(seconds: number): VoiceData {
  const folder = mkdtempSync(join(tmpdir(), 'vad-bench-'));
  try {
    const noises = noisePaths().map((path) => readClip(path));
    const labels: boolean[][] = [];
    const files = thin(
      spokenClips().filter((clip) => clip.seconds <= 30),
      seconds,
    ).map((clip, index) => {
      const second = Buffer.alloc(32000);
      const clean = Buffer.concat([second, readClip(clip.path), second]);
      labels.push(loudFrames(clean, 16000, FRAME));
      const path = join(folder, `${index}.raw`);
      writeFileSync(path, mix(clean, noises[index % noises.length]!));
      return path;
    });
    const model = new Models().path('silero-vad/silero_vad.onnx');
    const lines = runNative<{ p: number[] }>(buildPrograms([PROGRAM])[PROGRAM]!, [
      inferenceLibrary()!,
      model,
      ...files,
    ]);
    const scored = lines.flatMap((line, file) =>
      line.p.map((p, frame) => ({ p, speech: labels[file]![frame] ?? false })),
    );
    return { recordings: files.length, frames: scored.length, area: area(scored) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function reportVoiceActivity(report: Report, { measured, data }: StoredPart<VoiceData>): void {
  report.heading('Voice activity');
  report.text(
    `${data.recordings} recordings mixed with the noise recordings at ${SNR_DB} dB; ${data.frames} frames of 32 ms, speech by the clean recording's level. Measured ${measured}.`,
  );
  report.figure({
    name: 'voice activity, area under the curve at 10 dB',
    value: data.area,
    unit: '',
    goal: { atLeast: 0.95 },
  });
}

const power = (pcm: Buffer): number => {
  let sum = 0;
  for (let at = 0; at + 2 <= pcm.length; at += 2) sum += pcm.readInt16LE(at) ** 2;
  return sum / Math.max(1, pcm.length / 2);
};

/** The noise is repeated and scaled to lie SNR_DB below the speech, without the silence of the recording. */
function mix(clean: Buffer, noise: Buffer): Buffer {
  const loud = loudFrames(clean, 16000, FRAME);
  const spoken = Buffer.concat(
    loud.flatMap((one, frame) => (one ? [clean.subarray(frame * FRAME * 2, (frame + 1) * FRAME * 2)] : [])),
  );
  const scale = Math.sqrt(power(spoken) / 10 ** (SNR_DB / 10) / Math.max(1, power(noise)));
  const out = Buffer.alloc(clean.length);
  for (let at = 0; at + 2 <= clean.length; at += 2) {
    const sum =
      clean.readInt16LE(at) + scale * noise.readInt16LE(at % (noise.length - (noise.length % 2) - 2));
    out.writeInt16LE(Math.max(-32768, Math.min(32767, Math.round(sum))), at);
  }
  return out;
}

/** Returns the probability that a frame of speech scores above one without. */
function area(scored: readonly { p: number; speech: boolean }[]): number {
  const sorted = [...scored].sort((a, b) => a.p - b.p);
  let ranks = 0;
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (to < sorted.length && sorted[to]!.p === sorted[from]!.p) to += 1;
    const middle = (from + 1 + to) / 2;
    for (let i = from; i < to; i += 1) if (sorted[i]!.speech) ranks += middle;
    from = to;
  }
  const speech = sorted.filter((one) => one.speech).length;
  return (ranks - (speech * (speech + 1)) / 2) / (speech * (sorted.length - speech));
}
