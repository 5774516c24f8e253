import {
  type Engine,
  readSpeakerSegments,
  speakersJob,
  synthesizeJob,
} from '../../src/media/engine/index.ts';
import type { ServedVoice } from '../../src/speech/voices/index.ts';

const TEXTS: Readonly<Record<string, string>> = {
  en: 'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.',
  es: 'Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.',
  fr: 'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.',
  de: 'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen.',
  it: 'Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.',
  pt: 'Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.',
  hi: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है।',
};

export async function voicePrint(engine: Engine, { engine: voice }: ServedVoice): Promise<Float32Array> {
  const text = Buffer.from(TEXTS[voice.language]!);
  const options = { voice, rate: 16_000, format: 'pcm16', offline: true } as const;
  return await printOf(engine, await engine.submit(synthesizeJob, options, text).result());
}

export async function printOf(engine: Engine, pcm: Uint8Array): Promise<Float32Array> {
  const pieces = readSpeakerSegments(await engine.submit(speakersJob, undefined, pcm).result());
  const mean = new Float32Array(192);
  for (const { vector } of pieces) for (const [at, value] of vector?.entries() ?? []) mean[at]! += value;
  const length = Math.hypot(...mean) || 1;
  return mean.map((value) => value / length);
}

export const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((so, value, at) => so + value * other[at]!, 0);
