import { compiledProgram } from '../../../foundation/platform/project-root.ts';
import {
  askApart,
  type Format,
  type Picture,
  pictureApart,
  Unreadable,
} from '../../../language/documents/index.ts';
import type { ReadScan } from '../scans.ts';
import type { DistinctiveTerm } from '../sounding/distinctive.ts';
import type { PassagesAsked, PassagesPart, ScannedParagraph, TermedChunk } from './asked.ts';
import { passageParts } from './passage-parts.ts';

const PROGRAM = compiledProgram(import.meta.url, 'conversation/knowledge/chunking', 'worker.js');
const CPU_SECONDS = 60;
/** A document's text, its passages and their terms. */
const MOST_ANSWERED = 160 * 1024 * 1024;
/** Plain text up to here is cut in milliseconds, and there is nothing in it to be walled in: a process takes longer to start. */
const SMALL_BYTES = 32 * 1024;
/** Each takes seconds of a core. */
const MOST_SCANNED = 200;

export interface PassagesOrder {
  readonly bytes: Uint8Array;
  readonly format: Format;
  readonly language: string;
  /** Null: the one that stands in the document, else `name`. */
  readonly title: string | null;
  readonly name: string;
  /** Null: pictures of pages can't be read here. */
  readonly scans: ReadScan | null;
  /** Throws where so many passages have no place. */
  readonly expect: (chunks: number) => Promise<void>;
  /** After each page that was scanned. */
  readonly onScanned: (share: number) => Promise<void>;
}

/** A document as it is indexed. */
export interface Passages {
  readonly title: string;
  readonly characters: number;
  /** Its text, in parts. */
  readonly text: readonly Buffer[];
  readonly chunks: readonly TermedChunk[];
  /** The words that it uses most, common ones among them. */
  readonly words: readonly DistinctiveTerm[];
}

/** Reads a document, and cuts it into passages, in a process of its own. Throws Unreadable. */
export async function passagesApart(order: PassagesOrder, signal: AbortSignal): Promise<Passages> {
  const first = await ask(order, null, signal);
  if (!('pictured' in first)) return first;
  const scanned = await scan(order, first.pictured, signal);
  const second = await ask(order, scanned, signal);
  if ('pictured' in second) throw new Error('The pages were scanned already.');
  return second;
}

async function ask(
  { bytes, expect, scans, onScanned: _, ...document }: PassagesOrder,
  scanned: readonly ScannedParagraph[] | null,
  signal: AbortSignal,
): Promise<Passages | { readonly pictured: readonly number[] }> {
  const asked: PassagesAsked = { ...document, mayScan: scans !== null, scanned };
  const found = { title: document.name, characters: 0 };
  const text: Buffer[] = [];
  const chunks: TermedChunk[] = [];
  const words: DistinctiveTerm[] = [];
  for await (const part of partsOf(asked, bytes, signal)) {
    if (part.kind === 'pictured') return { pictured: part.pages };
    if (part.kind === 'summary') {
      await expect(part.chunks);
      Object.assign(found, { title: part.title, characters: part.characters });
    } else if (part.kind === 'text') text.push(Buffer.from(part.text));
    else if (part.kind === 'chunks') chunks.push(...part.chunks);
    else words.push(...part.words);
  }
  return { ...found, text, chunks, words };
}

function partsOf(asked: PassagesAsked, bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<PassagesPart> {
  if (asked.format === 'txt' && bytes.length <= SMALL_BYTES) return passageParts(asked, bytes);
  const order = { program: PROGRAM, asked, cpuSeconds: CPU_SECONDS, mostAnswered: MOST_ANSWERED };
  return askApart<PassagesPart>(order, bytes, signal);
}

async function scan(
  { bytes, scans, onScanned }: PassagesOrder,
  pages: readonly number[],
  signal: AbortSignal,
): Promise<readonly ScannedParagraph[]> {
  if (pages.length > MOST_SCANNED)
    throw new Unreadable(
      `The document has ${pages.length} scanned pages; ${MOST_SCANNED} are read at most. Cut it into several.`,
    );
  const found: ScannedParagraph[] = [];
  for (const [at, page] of pages.entries()) {
    const picture: Picture | null = await pictureApart(bytes, page, signal);
    const paragraphs = picture === null ? [] : ((await scans?.(picture, signal)) ?? []);
    for (const text of paragraphs) found.push({ page, text });
    await onScanned(at / pages.length);
  }
  return found;
}
