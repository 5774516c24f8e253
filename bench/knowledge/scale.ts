import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../../src/media/engine/index.ts';
import { pdfOf } from '../compliance/pdf.ts';
import type { KnowledgeRunSize } from './run-size.ts';
import type { Text } from './texts.ts';
import { removed, World } from './world.ts';

const LINE = 90;
const LINES = 45;
const PAGES_OF_A_DOCUMENT = 50;
const CHUNKS_OF_A_DOCUMENT = 1_000;
const SIZE = 384;

const ascii = (text: string): string => text.replaceAll(/[^\x20-\x7e\n]/g, '');

function pages(texts: readonly Text[], count: number) {
  const words = ascii(texts.map(({ text }) => text).join('\n')).split(/\s+/);
  const lines: string[] = [''];
  for (let at = 0; lines.length <= count * LINES; at += 1) {
    const word = words[at % words.length] as string;
    const last = lines.at(-1) as string;
    if (last.length + word.length < LINE) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return Array.from({ length: count }, (_, page) =>
    lines
      .slice(page * LINES, (page + 1) * LINES)
      .map((text, at) => ({ text, x: 50, y: 60 + 16 * at, size: 10 })),
  );
}

export async function pagesAMinute(texts: readonly Text[], engine: Engine, count: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-knowledge-'));
  const world = await World.open(folder, engine);
  try {
    const all = pages(texts, count);
    const documents = [];
    for (let at = 0; at < count; at += PAGES_OF_A_DOCUMENT) {
      const bytes = pdfOf(all.slice(at, at + PAGES_OF_A_DOCUMENT));
      documents.push({ name: `Book ${at}`, bytes, format: 'pdf' as const });
    }
    const base = await world.base('Books');
    const start = performance.now();
    await world.fill(base, documents);
    return (60_000 * count) / (performance.now() - start);
  } finally {
    await world.close();
    removed(folder);
  }
}

/** The vectors are arbitrary: their cost does not depend on their content. */
async function anyVectors(texts: readonly string[]): Promise<Float32Array[]> {
  return texts.map(() => Float32Array.from({ length: SIZE }, () => (Math.random() - 0.5) * 0.177));
}

export async function held(
  texts: readonly Text[],
  questions: readonly string[],
  engine: Engine,
  count: number,
  language: string,
): Promise<KnowledgeRunSize & { readonly chunks: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-knowledge-'));
  try {
    const world = await World.open(folder, engine, anyVectors);
    const base = await world.base('Everything', language);
    const sentences = texts
      .flatMap(({ text }) => text.split(/(?<=\.)\s+/))
      .map((sentence) => sentence.replaceAll(/\s+/g, ' ').slice(0, 200));
    const chunk = () =>
      Array.from({ length: 4 }, () => sentences[Math.floor(Math.random() * sentences.length)]).join(' ');
    const documents = Array.from({ length: Math.ceil(count / CHUNKS_OF_A_DOCUMENT) }, (_, at) => ({
      name: `Volume ${at}`,
      bytes: Buffer.from(
        Array.from({ length: CHUNKS_OF_A_DOCUMENT }, (_, row) => `## Part ${row}\n\n${chunk()}`).join('\n\n'),
      ),
      format: 'md' as const,
    }));
    await world.fill(base, documents);
    const chunks = await world.chunks(base);
    await world.close();
    const asked = join(folder, 'questions.json');
    writeFileSync(asked, JSON.stringify(questions));
    const program = fileURLToPath(new URL('run-size.js', import.meta.url));
    const reported = execFileSync(process.execPath, ['--expose-gc', program, folder, base, asked], {
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    });
    return { ...(JSON.parse(reported) as KnowledgeRunSize), chunks };
  } finally {
    removed(folder);
  }
}
