import type { DocumentBlock } from '../../../language/documents/contract.ts';
import { type IndivisibleSpan, render } from './rendered.ts';

export interface Chunk {
  readonly heading: string;
  readonly text: string;
  /** The offset counts characters of the document's text. */
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
}

export interface ChunkedDocument {
  readonly text: string;
  readonly chunks: readonly Chunk[];
}

/** The embedding model's input limit, less the title and headings that precede the text. */
const WANTED = 650;

/** Splits a document along its structure: never inside a sentence, a row or a small table, never across a heading. */
export function chunked(blocks: readonly DocumentBlock[]): ChunkedDocument {
  const { text, spans } = render(blocks);
  const groups: IndivisibleSpan[][] = [];
  for (const span of spans) {
    const last = groups.at(-1);
    if (last !== undefined && joins(last, span)) last.push(span);
    else groups.push([span]);
  }
  return { text, chunks: groups.map((group) => chunkOf(group, text)).filter((chunk) => chunk.text !== '') };
}

function joins(group: readonly IndivisibleSpan[], span: IndivisibleSpan): boolean {
  const [first] = group;
  if (first === undefined || span.whole || first.whole) return false;
  return first.heading === span.heading && span.end - first.start <= WANTED;
}

function chunkOf(group: readonly IndivisibleSpan[], text: string): Chunk {
  const first = group[0] as IndivisibleSpan;
  const said = text.slice(first.start, group.at(-1)?.end).trimEnd();
  return {
    heading: first.heading,
    text: said,
    start: first.start,
    end: first.start + said.length,
    page: first.page,
  };
}
