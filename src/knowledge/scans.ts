import { type Block, type Parsed, type Picture, pictureApart, Unreadable } from '../documents/index.ts';

/** Reads the letters of a page's picture as paragraphs. */
export interface ScanReader {
  /** Null: the letters of the language are not known here. */
  readonly of: (language: string) => ReadScan | null;
}
export type ReadScan = (picture: Picture, signal: AbortSignal) => Promise<readonly string[]>;

/** Each takes seconds of a core. */
const MOST_SCANNED = 200;
/** Characters on a page below which there is no text to be found. */
const LEAST_CHARACTERS = 8;

/** A PDF with what its scanned pages say. Throws Unreadable where it holds nothing else, and they cannot be read here. */
export async function withScans(
  { bytes, parsed }: { readonly bytes: Uint8Array; readonly parsed: Parsed },
  read: ReadScan | null,
  page: (share: number) => Promise<void>,
  signal: AbortSignal,
): Promise<Parsed> {
  const { pictured = [], blocks } = parsed;
  if (pictured.length === 0) return parsed;
  if (read === null) {
    if (charactersOf(blocks) >= LEAST_CHARACTERS * pictured.length) return parsed;
    throw new Unreadable(
      'The document holds pictures of pages and no text: it was scanned, and this server cannot read its letters.',
    );
  }
  if (pictured.length > MOST_SCANNED)
    throw new Unreadable(
      `The document has ${pictured.length} scanned pages; ${MOST_SCANNED} are read at most. Cut it into several.`,
    );
  const found: Block[] = [];
  for (const [at, number] of pictured.entries()) {
    const picture = await pictureApart(bytes, number, signal);
    const paragraphs = picture === null ? [] : await read(picture, signal);
    for (const text of paragraphs) found.push({ kind: 'text', text, page: number });
    await page(at / pictured.length);
  }
  return { ...parsed, blocks: inOrder(blocks, found) };
}

const charactersOf = (blocks: readonly Block[]): number =>
  blocks.reduce(
    (sum, block) => sum + (block.kind === 'table' ? block.rows.flat().join('') : block.text).length,
    0,
  );

/** What stands on one page keeps its order. */
const inOrder = (...lists: readonly (readonly Block[])[]): Block[] =>
  lists.flat().sort((one, other) => (one.page ?? 0) - (other.page ?? 0));
