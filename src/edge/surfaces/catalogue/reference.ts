/**
 * Builds the dated reference pack, in which code generators read voices, languages and controls. A published pack
 * never changes.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../../../foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';
import type { Product, Voice } from '../../../speech/voices/index.ts';
import { languagesOf, modelItems, voiceItem } from './items.ts';

const FOLDER = join(PROJECT_ROOT, 'models/reference');

export interface ReferencePack {
  readonly object: 'reference_pack';
  readonly date: string;
  readonly [section: string]: unknown;
}

export function referencePack(
  date: string,
  models: readonly Model[],
  voices: readonly Voice[],
  products: readonly Product[],
  controls: object,
): ReferencePack {
  const served = modelItems(models, voices);
  return {
    object: 'reference_pack',
    date,
    models: served.map(({ id, languages }) => ({ id, languages })),
    languages: {
      hear: languagesOf(models, 'recognition'),
      speak: served.find(({ id }) => id === 'svc-speak')?.languages,
    },
    voices: voices.map((voice) => voiceItem(voice, products)),
    controls,
  };
}

/**
 * Writes the pack under its date and returns the file. Caches keep a pack for a year, so it throws when a different
 * pack was published under that date; `unreleased` allows it, because no client has received that pack.
 */
export function publishPack(pack: ReferencePack, { folder = FOLDER, unreleased = false } = {}): string {
  const file = join(folder, `${pack.date}.json`);
  const text = `${JSON.stringify(pack)}\n`;
  if (!unreleased && existsSync(file) && readFileSync(file, 'utf8') !== text) {
    throw new Error(
      `The pack of ${pack.date} is published and differs: publish tomorrow, or say --unreleased if no release has it.`,
    );
  }
  writeFileSync(file, text);
  return file;
}

export function publishedPacks(folder = FOLDER): ReadonlyMap<string, Buffer> {
  const packs = new Map<string, Buffer>();
  for (const name of readdirSync(folder)) {
    const date = /^(\d{4}-\d\d-\d\d)\.json$/.exec(name)?.[1];
    if (date) packs.set(date, readFileSync(join(folder, name)));
  }
  return packs;
}
