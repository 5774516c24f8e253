/**
 * Parses SubRip and WebVTT: each cue is a line, or a line of each voice in it, and the time between cues becomes the
 * pause.
 */
import { CONTROLS, NARRATOR } from '../contract.ts';
import { saysSomething } from '../spoken-text.ts';
import type { Script, ScriptLine } from './contract.ts';
import { cueOf } from './dialogue.ts';
import { linesOf, ScriptBuilder } from './script-builder.ts';

const TIMES = /^(?<from>[\d:.,]{5,16})\s+-->\s+(?<to>[\d:.,]{5,16})/u;
const VOICES = /(?=<v[.\s])/u;
const VOICE = /^<v(?:\.[^\s>]{0,64})?\s+(?<name>[^>]{1,64})>/u;

export function readSubtitles(text: string): Script {
  const gathering = new ScriptBuilder();
  let ended: number | null = null;
  for (const block of blocksOf(text)) {
    const cue = readCue(block);
    if (cue === null) continue;
    const { lines, from, to } = cue;
    const direction = ended === null ? {} : { direction: { pause_before_ms: within(from - ended) } };
    for (const [at, line] of lines.entries()) gathering.add(at === 0 ? { ...line, ...direction } : line);
    if (lines.some(({ text }) => saysSomething(text))) ended = to;
  }
  return gathering.script;
}

const within = (pause: number): number =>
  Math.max(CONTROLS.pause_before_ms.least, Math.min(CONTROLS.pause_before_ms.most, pause));

function* blocksOf(text: string): Generator<readonly string[]> {
  let block: string[] = [];
  for (const line of linesOf(text)) {
    if (line.trim() !== '') block.push(line.trim());
    else if (block.length > 0) {
      yield block;
      block = [];
    }
  }
  if (block.length > 0) yield block;
}

/** Returns null for a header, a note or a style. */
function readCue(
  block: readonly string[],
): { lines: readonly ScriptLine[]; from: number; to: number } | null {
  const at = block.findIndex((line) => TIMES.test(line));
  if (at < 0 || at > 1) return null;
  const { from = '', to = '' } = TIMES.exec(block[at]!)!.groups!;
  const words = block.slice(at + 1).join(' ');
  const lines = words.split(VOICES).map(lineOf);
  return {
    lines: lines.filter(({ text }) => text.trim() !== ''),
    from: millisecondsOf(from),
    to: millisecondsOf(to),
  };
}

function lineOf(words: string): ScriptLine {
  const voice = VOICE.exec(words)?.groups?.name?.trim();
  const plain = plainOf(words);
  const cue = voice === undefined ? cueOf(plain) : { speaker: voice, text: plain };
  return cue ?? { speaker: NARRATOR, text: plain };
}

function millisecondsOf(time: string): number {
  const parts = time.replace(',', '.').split(':').map(Number);
  const seconds = parts.reduce((so, part) => so * 60 + part, 0);
  return Number.isFinite(seconds) ? Math.round(seconds * 1000) : 0;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
  '&lrm;': '',
  '&rlm;': '',
};

const plainOf = (text: string): string =>
  text
    .replace(/<[^<>]{0,200}>/gu, '')
    .replace(/\{\\[^{}]{0,200}\}/gu, '')
    .replace(/&[a-z]{2,4};/gu, (entity) => ENTITIES[entity] ?? entity);
