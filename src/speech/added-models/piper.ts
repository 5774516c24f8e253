import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { AddedModelError } from './errors.ts';
import type { PiperFacts } from './lock.ts';

const Settings = Type.Object({
  audio: Type.Object({
    sample_rate: Type.Integer({ minimum: 8000, maximum: 48_000 }),
    quality: Type.Optional(Type.String()),
  }),
  espeak: Type.Optional(Type.Object({ voice: Type.Optional(Type.String({ maxLength: 40 })) })),
  language: Type.Optional(
    Type.Object({
      code: Type.Optional(Type.String({ maxLength: 40 })),
      family: Type.Optional(Type.String({ maxLength: 40 })),
      region: Type.Optional(Type.String({ maxLength: 40 })),
    }),
  ),
  phoneme_type: Type.Optional(Type.String({ maxLength: 40 })),
  phoneme_map: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  phoneme_id_map: Type.Record(Type.String(), Type.Array(Type.Integer({ minimum: 0, maximum: 99_999 }))),
  num_speakers: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
  speaker_id_map: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 99_999 }))),
  inference: Type.Optional(
    Type.Object({
      noise_scale: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
      length_scale: Type.Optional(Type.Number({ minimum: 0.1, maximum: 10 })),
      noise_w: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
    }),
  ),
  dataset: Type.Optional(Type.String({ maxLength: 200 })),
});

/** The engine converts between these rates only. */
const RATES: readonly number[] = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const ESPEAK = /^[a-z]{2,3}(-[a-z0-9]{2,12}){0,4}$/i;
/** The phonemizer names these languages otherwise than ISO 639-1. */
const ISO: Readonly<Record<string, string>> = { cmn: 'zh', yue: 'zh', nb: 'no' };

export interface PiperSettings extends PiperFacts {
  readonly dataset: string | null;
  readonly region: string | null;
}

export function isPiperSettings(path: string): boolean {
  const json = orNull(path);
  return typeof json === 'object' && json !== null && 'phoneme_id_map' in json;
}

export function readPiperSettings(path: string): PiperSettings {
  const json = orNull(path);
  if (json === null) throw new AddedModelError(`${path} is not valid JSON`);
  const wrong = Value.Errors(Settings, json).at(0);
  if (wrong !== undefined || !Value.Check(Settings, json))
    throw new AddedModelError(
      `the voice's settings are wrong: ${wrong?.instancePath || 'the file'} ${wrong?.message ?? ''}`,
    );
  if (!RATES.includes(json.audio.sample_rate))
    throw new AddedModelError(
      `the voice has a sample rate of ${json.audio.sample_rate} Hz; supported rates are ${RATES.join(', ')}`,
    );
  const type = json.phoneme_type ?? 'espeak';
  if (type !== 'espeak' && type !== 'text')
    throw new AddedModelError(`the voice has the phoneme type ${type}; espeak and text are supported`);
  for (const mark of ['^', '_', '$', ' '])
    if (json.phoneme_id_map[mark]?.length !== 1)
      throw new AddedModelError(`the voice's phoneme_id_map lacks '${mark}'`);
  const accent = (json.espeak?.voice ?? json.language?.family ?? '').toLowerCase();
  if (!ESPEAK.test(accent)) throw new AddedModelError('the voice’s settings have no language (espeak.voice)');
  const family = (json.language?.family ?? accent.split('-')[0] ?? accent).toLowerCase();
  return {
    language: ISO[family] ?? family,
    region: json.language?.region?.toLowerCase() || null,
    accent,
    rate: json.audio.sample_rate,
    quality: json.audio.quality ?? null,
    speakers: speakersOf(json.num_speakers ?? 1, json.speaker_id_map ?? {}),
    dataset: json.dataset || null,
  };
}

function speakersOf(count: number, byName: Readonly<Record<string, number>>): PiperFacts['speakers'] {
  if (count < 2) return [{ name: 'default', id: 0 }];
  const named = Object.entries(byName).map(([name, id]) => ({ name, id }));
  if (named.some(({ id }) => id >= count) || new Set(named.map(({ id }) => id)).size !== named.length)
    throw new AddedModelError(`the voice's speaker_id_map does not fit its ${count} speakers`);
  const names = new Map(named.map(({ name, id }) => [id, name]));
  return Array.from({ length: count }, (_, id) => ({ name: names.get(id) ?? String(id), id }));
}

function orNull(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}
