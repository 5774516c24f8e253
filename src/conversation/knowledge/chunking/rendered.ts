import { type DocumentBlock, UnreadableDocument } from '../../../language/documents/contract.ts';
import { type SentenceSpan, sentenceSpans } from '../../../language/retrieval/index.ts';

/** No chunk splits such a span: a sentence, a row or a small table. */
export interface IndivisibleSpan extends SentenceSpan {
  readonly heading: string;
  readonly page: number | null;
  readonly whole: boolean;
}

export interface RenderedDocument {
  readonly text: string;
  readonly spans: readonly IndivisibleSpan[];
}

/** A smaller table is one span; a larger one has a span for each row. */
const WHOLE_TABLE = 1_500;
/** A longer sentence (a page of code, a list without full stops) is split between words. */
const LONGEST_SPAN = 2_000;
const MOST_HEADINGS = 3;
/** The limit is five times a book; documents beyond the limit of chunks are not indexed anyway. */
const MOST_SPANS = 1_000_000;
const HEADING_CHARACTERS = 120;

export function render(blocks: readonly DocumentBlock[]): RenderedDocument {
  const writer = new DocumentRenderer();
  for (const block of blocks) writer.add(block);
  return writer.rendered();
}

class DocumentRenderer {
  readonly #parts: string[] = [];
  readonly #spans: IndivisibleSpan[] = [];
  readonly #headings: { level: number; text: string }[] = [];
  #length = 0;

  add(block: DocumentBlock): void {
    const page = block.page ?? null;
    if (block.kind === 'heading') this.#heading(block.level, block.text);
    if (block.kind === 'text') this.#text(block.text, page);
    if (block.kind === 'table') this.#table(block.rows, page);
    if (this.#spans.length > MOST_SPANS)
      throw new UnreadableDocument(
        'The document has more text than can be indexed. Split it into several documents.',
      );
  }

  rendered(): RenderedDocument {
    return { text: this.#parts.join(''), spans: this.#spans };
  }

  #heading(level: number, text: string): void {
    const outer = this.#headings.findIndex((heading) => heading.level >= level);
    if (outer >= 0) this.#headings.splice(outer);
    this.#headings.push({ level, text: text.slice(0, HEADING_CHARACTERS) });
    this.#write(`${text}\n\n`);
  }

  #text(text: string, page: number | null): void {
    const from = this.#length;
    this.#write(`${text}\n\n`);
    for (const line of lineSpans(text)) {
      for (const sentence of sentenceSpans(text.slice(line.start, line.end))) {
        const start = line.start + sentence.start;
        this.#spans.push(...this.#cut(from + start, from + line.start + sentence.end, page));
      }
    }
  }

  #table(rows: readonly (readonly string[])[], page: number | null): void {
    const lines = rows.map((row) => row.join(' | '));
    const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (size <= WHOLE_TABLE) this.#rows([lines.join('\n')], page, true);
    else this.#rows(namedRows(rows), page, false);
  }

  #rows(lines: readonly string[], page: number | null, whole: boolean): void {
    for (const line of lines) {
      const start = this.#length;
      this.#write(`${line}\n`);
      const cuts = this.#cut(start, this.#length, page);
      this.#spans.push(...cuts.map((span) => ({ ...span, whole })));
    }
    this.#write('\n');
  }

  #cut(start: number, end: number, page: number | null): IndivisibleSpan[] {
    const heading = this.#headings
      .slice(-MOST_HEADINGS)
      .map(({ text }) => text)
      .join(' › ');
    if (end - start <= LONGEST_SPAN) return [{ start, end, heading, page, whole: false }];
    const text = this.#parts.at(-1) ?? '';
    const offset = this.#length - text.length;
    const spans: IndivisibleSpan[] = [];
    for (let at = start; at < end; ) {
      const limit = Math.min(end, at + LONGEST_SPAN);
      const space = limit === end ? -1 : text.lastIndexOf(' ', limit - offset);
      const to = space > at - offset ? space + offset + 1 : limit;
      spans.push({ start: at, end: to, heading, page, whole: false });
      at = to;
    }
    return spans;
  }

  #write(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

/** Each row of a large table repeats the names of its columns, so that it can be found and read out by itself. */
function namedRows(rows: readonly (readonly string[])[]): string[] {
  const [header = [], ...rest] = rows;
  return rest.map((row) =>
    row
      .map((cell, at) => {
        const name = header[at] ?? '';
        return cell === '' ? '' : name === '' ? cell : `${name}: ${cell}`;
      })
      .filter((cell) => cell !== '')
      .join('; '),
  );
}

function lineSpans(text: string): SentenceSpan[] {
  const spans: SentenceSpan[] = [];
  let start = 0;
  for (const found of text.matchAll(/\n+/g)) {
    const end = found.index + found[0].length;
    spans.push({ start, end });
    start = end;
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}
