import { type FigureInput, percentile, type Report } from '../harness/index.ts';
import { type Clip, loudFrames, readClip, spokenClips } from './clips.ts';
import type { StoredPart } from './parts.ts';
import { type Service, startService } from './service.ts';
import { streamClip } from './stream-client.ts';
import { plainWords, pooled, type Score, scoreText } from './words.ts';

const RATE = 16000;
const CAP_SECONDS = 15;
const MOST_QUIET_FRAMES = 8;
const FRAME_BYTES = (RATE / 100) * 2;
const LEAST_CLIP_SECONDS = 4;
const TAIL_SECONDS = 2;
/** A lost or doubled word within this many words of a seam counts as the fault of the seam. */
const ALIGNMENT_WINDOW = 3;

interface Spoken extends Score {
  /** Each value is the time in seconds from the start of an utterance to the arrival of a final that divided it. */
  readonly cutAfter: readonly number[];
  readonly seams: number;
  readonly faults: number;
}

export interface PauselessData {
  readonly seconds: number;
  readonly runs: readonly { readonly callers: number; readonly said: readonly Spoken[] }[];
}

export async function measurePauseless(secondsEach: number): Promise<PauselessData> {
  const service = await startService({ TRUNKLINE_DEVICE: 'cpu' });
  try {
    const runs = [];
    for (const callers of [1, 4]) {
      const talks = Array.from({ length: callers }, (_, number) => talk(secondsEach, callers + number));
      const said = await Promise.all(talks.map((one) => say(service, one)));
      runs.push({ callers, said });
    }
    return { seconds: secondsEach, runs };
  } finally {
    service.stop();
  }
}

interface Talk {
  readonly pcm: Buffer;
  readonly text: string;
}

function talk(seconds: number, first: number): Talk {
  const clips = spokenClips().filter(isSentence);
  const parts: Buffer[] = [];
  const texts: string[] = [];
  for (let at = first, bytes = 0; bytes < seconds * RATE * 2; at += 1) {
    const clip = clips[at % clips.length]!;
    parts.push(withoutPauses(readClip(clip.path)));
    texts.push(clip.text);
    bytes += parts.at(-1)!.length;
  }
  parts.push(Buffer.alloc(TAIL_SECONDS * RATE * 2));
  return { pcm: Buffer.concat(parts), text: texts.join(' ') };
}

/** The clip has whole words: spelled letters have no seam between words to be judged by. */
const isSentence = (clip: Clip): boolean =>
  clip.language === 'en' && clip.seconds >= LEAST_CLIP_SECONDS && plainWords(clip.text, 'en').length >= 8;

function withoutPauses(pcm: Buffer): Buffer {
  const stored: Buffer[] = [];
  let quiet = 0;
  for (const [frame, loud] of loudFrames(pcm, RATE).entries()) {
    quiet = loud ? 0 : quiet + 1;
    if (quiet <= MOST_QUIET_FRAMES) stored.push(pcm.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES));
  }
  return Buffer.concat(stored);
}

async function say(service: Service, { pcm, text }: Talk): Promise<Spoken> {
  const { arrived } = await streamClip(service, pcm, RATE, { language: 'en', endpointing_ms: '500' });
  const finals = arrived.filter(({ frame }) => frame.type === 'final');
  const cut = finals.filter(({ frame }) => frame.endpoint_reason === 'max_utterance');
  const texts = finals.map(({ frame }) => frame.text as string);
  return {
    ...scoreText(text, texts.join(' '), 'en'),
    cutAfter: cut.map(({ at, frame }) => at / 1000 - frame.start),
    seams: Math.max(0, finals.length - 1),
    faults: seamFaults(text, texts),
  };
}

/** Counts words lost or doubled within three words of a seam; a substituted word does not count. */
export function seamFaults(expected: string, texts: readonly string[]): number {
  const heard: string[] = [];
  const seams: number[] = [];
  for (const text of texts) {
    if (heard.length > 0) seams.push(heard.length);
    heard.push(...plainWords(text, 'en'));
  }
  const places = unpaired(plainWords(expected, 'en'), heard);
  return places.filter((at) =>
    seams.some((seam) => at + ALIGNMENT_WINDOW >= seam && at < seam + ALIGNMENT_WINDOW),
  ).length;
}

/**
 * Returns the positions in `b` of extra words, and of words before which one is missing, by the edit distance from
 * `a`.
 */
function unpaired(a: readonly string[], b: readonly string[]): number[] {
  const cost = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 || j === 0 ? i + j : 0)),
  );
  const change = (i: number, j: number) => cost[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      cost[i]![j] = Math.min(cost[i - 1]![j]! + 1, cost[i]![j - 1]! + 1, change(i, j));
    }
  }
  const places: number[] = [];
  for (let i = a.length, j = b.length; i > 0 || j > 0; ) {
    if (i > 0 && j > 0 && cost[i]![j] === change(i, j)) {
      i -= 1;
      j -= 1;
    } else if (j > 0 && cost[i]![j] === cost[i]![j - 1]! + 1) {
      j -= 1;
      places.push(j);
    } else {
      places.push(j);
      i -= 1;
    }
  }
  return places;
}

export function reportPauseless(report: Report, { measured, data }: StoredPart<PauselessData>): void {
  report.heading('Callers who do not pause');
  report.text(
    `English sentences joined, every pause over ${MOST_QUIET_FRAMES * 10} ms cut to that, ${data.seconds} s for each caller: an utterance ends where voice activity still hears a pause, or is cut at the cap (docs/decisions/087). Times from the start of an utterance to the arrival of its final. A word is lost or doubled at a seam when it is within ${ALIGNMENT_WINDOW} words of one; the joining of the sentences cuts some words short. Measured ${measured}.`,
  );
  const rows = data.runs.map(({ callers, said }) => {
    const after = said.flatMap((one) => one.cutAfter);
    const sum = (of: (one: Spoken) => number) => said.reduce((total, one) => total + of(one), 0);
    return { callers, after, said, seams: sum((one) => one.seams), faults: sum((one) => one.faults) };
  });
  report.table(
    [
      'callers',
      'finals cut',
      'there after p50',
      'p95',
      'latest',
      'seams',
      'words lost or doubled',
      'word error',
    ],
    rows.map(({ callers, after, said, seams, faults }) => [
      callers,
      after.length,
      ...[0.5, 0.95, 1].map((at) => `${percentile(after, at).toFixed(2)} s`),
      seams,
      faults,
      `${(pooled(said) * 100).toFixed(1)} %`,
    ]),
  );
  for (const { callers, after, faults, seams } of rows) {
    const many = callers === 1 ? 'one caller' : `${callers} callers`;
    const figures: FigureInput[] = [
      {
        name: `final of an utterance that is cut, p95, ${many}`,
        value: percentile(after, 0.95),
        unit: 's after its start',
        goal: { atMost: CAP_SECONDS },
      },
      {
        name: `words lost or doubled at a seam, ${many}`,
        value: faults / Math.max(1, seams),
        unit: 'a seam',
      },
    ];
    for (const figure of figures) report.figure(figure);
  }
}
