import { readFileSync } from 'node:fs';
import {
  type Engine,
  type EngineVoice,
  HEAR_LANGUAGES,
  openRecognizerJob,
  readOpenedQuickRecognizer,
  readOpenedRecognizer,
  synthesizeJob,
  transcribeRecording,
} from '../../media/engine/index.ts';
import { AddedModelError } from './errors.ts';
import type { Measured, MoonshineFacts, WhisperFacts } from './lock.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  en: 'The river runs along the old wall, where people walk in the evening.',
  es: 'El río corre junto al muro viejo, y la gente pasea por la tarde.',
  fr: 'La rivière longe le vieux mur, où les gens se promènent le soir.',
  it: 'Il fiume corre lungo il vecchio muro, dove la gente passeggia la sera.',
  pt: 'O rio corre junto ao muro velho, onde as pessoas passeiam à tarde.',
  de: 'Der Fluss läuft an der alten Mauer entlang, wo abends Leute gehen.',
  hi: 'नदी पुरानी दीवार के साथ बहती है, जहाँ लोग शाम को टहलते हैं।',
  nl: 'De rivier loopt langs de oude muur, waar mensen in de avond wandelen.',
  zh: '河水沿着古老的城墙流淌，人们傍晚在那里散步。',
  ja: '川は古い壁に沿って流れ、人々は夕方そこを歩く。',
};
/** The phonemizer reads numbers in every language. */
const ELSEWHERE = '1, 2, 3, 4, 5, 6, 7, 8, 9, 10.';
const RATE = 16_000;
const PAGE = 4096;
/** The test sentence lasts about four seconds; less than this is no speech. */
const LEAST_SECONDS = 1;
const LEAST_PEAK = 600;
/** A good voice is transcribed almost completely, and a voice with another voice's phonemes hardly at all. */
const LEAST_RIGHT = 0.5;
/** Every Whisper from tiny on understands this sentence; one of other weights or tokens writes noise. */
const LEAST_UNDERSTOOD = 0.75;

export async function testVoice(engine: Engine, voice: EngineVoice, signal: AbortSignal): Promise<Measured> {
  const spoken = SENTENCES[voice.language] ?? ELSEWHERE;
  const say = async (seed: number): Promise<Uint8Array> =>
    await engine
      .submit(synthesizeJob, { voice, rate: RATE, format: 'pcm16', seed }, Buffer.from(spoken), signal)
      .result();
  const memory = residentBytes();
  await say(1);
  const memoryBytes = Math.max(0, residentBytes() - memory);
  const before = process.cpuUsage();
  const pcm = await say(2);
  const { user, system } = process.cpuUsage(before);
  const seconds = pcm.length / 2 / RATE;
  checkSpeech(pcm, seconds);
  const heard = await hear(engine, pcm, voice.language, signal);
  if (heard !== null && rightWords(spoken, heard) < LEAST_RIGHT)
    throw new AddedModelError(
      `the voice is not understood: "${spoken}" was heard as "${heard}". The graph and its settings may belong to different voices`,
    );
  const realTimeFactor = Math.round(((user + system) / 1e6 / seconds) * 1000) / 1000;
  return { realTimeFactor, memoryBytes, spoken, heard };
}

/** `voice` is one of ours and speaks the sentence. */
export async function testRecognizer(
  engine: Engine,
  folder: string,
  facts: WhisperFacts,
  voice: EngineVoice,
  signal: AbortSignal,
): Promise<Measured> {
  const pcm = await englishSpeech(engine, voice, signal);
  const memory = residentBytes();
  const opened = readOpenedRecognizer(
    await engine.submit(openRecognizerJob, { recognizer: folder }, new Uint8Array(), signal).result(),
  );
  for (const name of ['bands', 'layers', 'heads', 'width', 'vocabulary', 'englishOnly'] as const)
    if (opened[name] !== facts[name])
      throw new AddedModelError(
        `the engine opened ${name} ${opened[name]} where the weights have ${facts[name]}`,
      );
  return await understood(pcm, memory, async () => (await hear(engine, pcm, 'en', signal, folder)) ?? '');
}

/** `voice` is one of ours and speaks the sentence. */
export async function testMoonshine(
  engine: Engine,
  folder: string,
  voice: EngineVoice,
  signal: AbortSignal,
): Promise<Omit<MoonshineFacts, 'form'> & { readonly measured: Measured }> {
  const pcm = await englishSpeech(engine, voice, signal);
  const memory = residentBytes();
  const open = async () =>
    readOpenedQuickRecognizer(
      await engine.submit(openRecognizerJob, { quick: folder }, pcm, signal).result(),
    );
  const { layers, heads, width, vocabulary } = await open();
  const measured = await understood(pcm, memory, async () => (await open()).heard);
  return { layers, heads, width, vocabulary, measured };
}

function englishSpeech(engine: Engine, voice: EngineVoice, signal: AbortSignal): Promise<Uint8Array> {
  const options = { voice, rate: RATE, format: 'pcm16', seed: 1 } as const;
  return engine.submit(synthesizeJob, options, Buffer.from(SENTENCES.en as string), signal).result();
}

/** The first text also takes the memory of the model, `memory` being what the process had before it. */
async function understood(pcm: Uint8Array, memory: number, write: () => Promise<string>): Promise<Measured> {
  const spoken = SENTENCES.en as string;
  await write();
  const memoryBytes = Math.max(0, residentBytes() - memory);
  const before = process.cpuUsage();
  const heard = await write();
  const { user, system } = process.cpuUsage(before);
  if (rightWords(spoken, heard) < LEAST_UNDERSTOOD)
    throw new AddedModelError(
      `it does not understand speech: "${spoken}" was heard as "${heard.slice(0, 200)}". The weights and the tokens may belong to different models`,
    );
  const seconds = pcm.length / 2 / RATE;
  const realTimeFactor = Math.round(((user + system) / 1e6 / seconds) * 1000) / 1000;
  return { realTimeFactor, memoryBytes, spoken, heard };
}

function checkSpeech(pcm: Uint8Array, seconds: number): void {
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length >> 1);
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  if (seconds >= LEAST_SECONDS && peak >= LEAST_PEAK) return;
  throw new AddedModelError(
    `the voice is silent: ${seconds.toFixed(1)} s of audio with a peak of ${peak} of 32,767`,
  );
}

/** Returns null where recognition does not support the language. */
async function hear(
  engine: Engine,
  pcm: Uint8Array,
  language: string,
  signal: AbortSignal,
  recognizer?: string,
): Promise<string | null> {
  const known = HEAR_LANGUAGES.find((one) => one === language);
  if (known === undefined) return null;
  const parts: string[] = [];
  const options = { language: known, signal, recognizer };
  for await (const { segment } of transcribeRecording(engine, once(pcm), options))
    if (segment) parts.push(segment.text);
  return parts.join(' ').trim();
}

async function* once(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  yield pcm;
}

export function rightWords(spoken: string, heard: string): number {
  const words = (text: string): string[] =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .filter((word) => word !== '');
  const left = words(heard);
  const wanted = words(spoken);
  const right = wanted.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return right.length / Math.max(1, wanted.length);
}

const residentBytes = (): number => Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[1]) * PAGE;
