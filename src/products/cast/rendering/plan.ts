/** A render plan is a snapshot of the project at submission: later edits do not change it. */
import { createHash } from 'node:crypto';
import type { EngineVoice } from '../../../media/engine/index.ts';
import {
  estimatedMs,
  mannerOf,
  mergeManners,
  type Pronunciation,
  PronunciationDictionary,
  type ServedVoice,
} from '../../../speech/voices/index.ts';
import { stressesWords } from '../casting/index.ts';
import { type CastScript, CONTROLS, type LineDirection, type ScriptedLine } from '../contract.ts';
import { emphasized, stressed, withoutEmphasis } from '../emphasis.ts';
import { type Stretch, stretchesOf, wordsOf } from '../spoken-text.ts';

/** Raise this number when the same line comes to sound different, so that cached takes are synthesized again. */
const SOUND = 1;

export interface PlannedLine {
  readonly id: string;
  readonly speaker: string;
  /** The canonical id. */
  readonly voice: string;
  readonly engine: EngineVoice;
  readonly words: string;
  readonly stretches: readonly Stretch[];
  readonly seed: number;
  readonly pauseMs: number;
  readonly chapter: string | null;
  /** Identifies the audio: lines that agree in everything that shapes it share the take. */
  readonly take: string;
}

export interface RenderPlan {
  readonly language: string;
  readonly lines: readonly PlannedLine[];
}

export function planOf(
  project: CastScript,
  lines: readonly ScriptedLine[],
  voices: ReadonlyMap<string, ServedVoice>,
  shared: readonly Pronunciation[],
): RenderPlan {
  const dictionary = new PronunciationDictionary([...project.pronunciations, ...shared]);
  const own = new Map(project.speakers.map(({ name, voice }) => [name, voice]));
  const planned = lines.map((line, at) => {
    const voice = voices.get(line.voice ?? own.get(line.speaker)!)!;
    const engine = { ...voice.engine, manner: mergeManners(voice.engine.manner, mannerIn(line)) };
    const said = dictionary.apply(emphasized(line.text, line.direction.emphasis));
    const stretches = stretchesOf(stressesWords(voice.engine) ? stressed(said) : withoutEmphasis(said));
    const sound = { engine, stretches, seed: line.seed };
    return {
      id: line.id,
      speaker: line.speaker,
      voice: voice.id,
      ...sound,
      words: wordsOf(line.text),
      pauseMs: at === 0 ? 0 : (line.direction.pause_before_ms ?? pauseBetween(lines[at - 1]!, line)),
      chapter: line.chapter,
      take: createHash('sha256')
        .update(JSON.stringify([SOUND, sound]))
        .digest('hex'),
    };
  });
  return { language: project.language, lines: planned };
}

const CHAPTER_PAUSE_MS = 1200;
const SAME_SPEAKER_MS = 250;

function pauseBetween(before: ScriptedLine, line: ScriptedLine): number {
  if (line.chapter !== null) return CHAPTER_PAUSE_MS;
  return before.speaker === line.speaker ? SAME_SPEAKER_MS : CONTROLS.pause_before_ms.default;
}

function mannerIn({ direction, seed }: ScriptedLine) {
  const { pace, pitch, melody, energy_db: gain, emotion } = direction;
  const said = {
    ...(pace === undefined ? {} : { speed: pace }),
    ...(pitch === undefined ? {} : { pitch }),
    ...(melody === undefined ? {} : { range: melody }),
    ...(gain === undefined ? {} : { gain }),
  };
  return mergeManners(emotion === undefined ? undefined : mannerOf(emotion), said, variation(seed));
}

/** Another take differs by up to these factors where the model itself always speaks a text the same way. */
const TAKES = { speed: 0.05, pitch: 0.03, range: 0.18 } as const;

function variation(seed: number): LineDirection & { speed?: number; pitch?: number; range?: number } {
  if (seed === 0) return {};
  const bytes = createHash('sha256').update(`take ${seed}`).digest();
  const share = (at: number) => bytes.readUInt32LE(at) / 0x80000000 - 1;
  return {
    speed: 1 + TAKES.speed * share(0),
    pitch: 1 + TAKES.pitch * share(4),
    range: 1 + TAKES.range * share(8),
  };
}

export const estimateOf = ({ stretches, engine }: PlannedLine): number =>
  stretches.reduce((so, { text, pauseMs }) => so + estimatedMs(text, engine.manner?.speed ?? 1) + pauseMs, 0);

export function tooLong(length: number, most: number): string {
  const minutes = (ms: number) => (ms / 60_000).toFixed(1);
  return `${minutes(length)} minutes long; your plan allows ${minutes(most)} minutes. Split it into several projects.`;
}
