/**
 * Aligns each character of a spoken text: recognition finds the words in the speech, and the letters of a word share
 * its time evenly.
 */
import {
  type Engine,
  type EngineWord,
  RECORDING_RATE,
  resample,
  transcribeRecording,
} from '../../../../media/engine/index.ts';
import type { Alignment } from './schemas.ts';

export async function align(
  engine: Engine,
  { pcm, rate }: { readonly pcm: Buffer; readonly rate: number },
  text: string,
  signal: AbortSignal,
): Promise<Alignment> {
  const words: EngineWord[] = [];
  async function* once() {
    yield rate === RECORDING_RATE ? pcm : resample(pcm, rate, RECORDING_RATE);
  }
  for await (const { segment } of transcribeRecording(engine, once(), { signal })) {
    if (segment) words.push(...segment.words);
  }
  return spreadCharacters(text, words, pcm.length / (rate * 2));
}

interface AlignmentPoint {
  readonly at: number;
  readonly seconds: number;
}

function lettersOf(text: string): { letters: string; places: number[] } {
  const places: number[] = [];
  let letters = '';
  [...text].forEach((character, place) => {
    if (!/[\p{L}\p{N}]/u.test(character)) return;
    letters += character.toLowerCase();
    places.push(place);
  });
  return { letters, places };
}

/**
 * Recognized words that occur in the text anchor their characters in time; the characters in between are
 * interpolated.
 */
export function spreadCharacters(text: string, words: readonly EngineWord[], seconds: number): Alignment {
  const characters = [...text];
  const { letters, places } = lettersOf(text);
  const anchors: AlignmentPoint[] = [{ at: 0, seconds: 0 }];
  let from = 0;
  for (const { word, start, end } of words) {
    const said = lettersOf(word).letters;
    const found = said === '' ? -1 : letters.indexOf(said, from);
    if (found < 0 || found > from + MAX_CHARACTER_DISTANCE) continue;
    anchors.push(
      { at: places[found]!, seconds: start },
      { at: places[found + said.length - 1]! + 1, seconds: end },
    );
    from = found + said.length;
  }
  anchors.push({ at: characters.length, seconds });
  const times = characters.map((_, at) => timeAt(anchors, at));
  return {
    characters,
    character_start_times_seconds: times,
    character_end_times_seconds: [...times.slice(1), seconds],
  };
}

/** A word that is found further on than this is a recognition error, and would shift all that follows. */
const MAX_CHARACTER_DISTANCE = 40;

function timeAt(anchors: readonly AlignmentPoint[], at: number): number {
  const next = anchors.findIndex((anchor, index) => index > 0 && anchor.at > at);
  const after = anchors[next === -1 ? anchors.length - 1 : next]!;
  const before = anchors[(next === -1 ? anchors.length : next) - 1]!;
  const share = after.at === before.at ? 0 : (at - before.at) / (after.at - before.at);
  return Math.round((before.seconds + share * Math.max(0, after.seconds - before.seconds)) * 1000) / 1000;
}
