// @requirement Console: The console speaks eight languages, and Spanish is complete.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../running-server.ts';

const FOLDER = join(root, 'src/apps/console');
const LANGUAGES = ['es', 'fr', 'de', 'it', 'pt', 'hi', 'nl'];
const ASKED = /\bt\(\s*'([^']*)'/g;

function texts(): Set<string> {
  const found = new Set<string>();
  for (const entry of readdirSync(FOLDER, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const source = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    for (const [, text] of source.matchAll(ASKED)) found.add(text as string);
  }
  return found;
}

const wordsOf = async (language: string): Promise<Record<string, string>> =>
  ((await import(join(FOLDER, 'i18n', `${language}.ts`))) as { default: Record<string, string> }).default;

const holesOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

it.each(LANGUAGES)('has every text in %s', async (language) => {
  const asked = texts();
  expect(asked.size).toBeGreaterThan(300);
  const words = await wordsOf(language);
  expect([...asked].filter((text) => !words[text])).toEqual([]);
});

it.each(LANGUAGES)('translates into %s only what is asked for, hole by hole', async (language) => {
  const asked = texts();
  for (const [text, said] of Object.entries(await wordsOf(language))) {
    expect(asked, text).toContain(text);
    expect(holesOf(said), text).toEqual(holesOf(text));
  }
});
