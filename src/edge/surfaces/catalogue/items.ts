import { aliasesOf } from '../../../foundation/platform/model-names.ts';
import type { Model } from '../../../foundation/platform/models/index.ts';
import { EXPERIMENTAL_LANGUAGES } from '../../../media/engine/index.ts';
import type { Product, Voice } from '../../../speech/voices/index.ts';
import type { ModelItem, VoiceItem } from './schemas.ts';

/** The catalogue's two models were released on this date; OpenAI's clients require the field. */
const CREATED = Date.UTC(2026, 10, 21) / 1000;

export function voiceItem(voice: Voice, products: readonly Product[]): VoiceItem {
  return {
    id: voice.id,
    object: 'voice',
    name: voice.name,
    language: voice.language,
    tier: voice.tier,
    available_on: voice.available_on.filter((product) => products.includes(product)),
    region: voice.region,
    gender: voice.gender,
    emotions: [...voice.emotions],
    aliases: [...voice.aliases],
    ...(voice.experimental ? { experimental: true as const } : {}),
  };
}

export function languagesOf(models: readonly Model[], work: string): string[] {
  const languages = models
    .filter((model) => model.work === work && model.fetch === 'default')
    .flatMap((model) => model.languages);
  return [...new Set(languages)].sort();
}

export function modelItems(models: readonly Model[], voices: readonly Voice[]): ModelItem[] {
  const item = (id: ModelItem['id'], languages: string[], experimental: string[]): ModelItem => ({
    id,
    object: 'model',
    created: CREATED,
    owned_by: 'trunkline',
    languages,
    experimental_languages: languages.filter((language) => experimental.includes(language)),
    aliases: [...aliasesOf(id)],
  });
  const spoken = voices
    .filter((voice) => voice.available_on.includes('speak'))
    .map((voice) => voice.language);
  return [
    item('svc-hear', languagesOf(models, 'recognition'), [...EXPERIMENTAL_LANGUAGES]),
    item('svc-speak', [...new Set(spoken)].sort(), []),
  ];
}
