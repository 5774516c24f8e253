import { type DocumentBlock, normalizeText } from './blocks.ts';

export interface PlacedText {
  readonly str?: string;
  readonly width: number;
  readonly height: number;
  /** The last two numbers are the position; the origin is the lower left corner. */
  readonly transform: readonly number[];
}

interface TextRun {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
}
interface TextLine {
  readonly runs: TextRun[];
  readonly y: number;
  readonly size: number;
}

/**
 * The units are letter heights: runs this close vertically share a line, and runs this far apart horizontally are two
 * table columns.
 */
const SAME_LINE = 0.4;
const COLUMN_GAP = 1.2;
const WORD_GAP = 0.15;
const PARAGRAPH_GAP = 1.7;
const HEADING_SIZE = 1.15;
const SMALLEST = 2;
const LONGEST_HEADING = 150;
const FEWEST_ROWS = 2;

export function textLinesOf(items: readonly PlacedText[], page: number): DocumentBlock[] {
  const lines = linesFrom(items.flatMap(runOf));
  const body = median(lines.map(({ size }) => size));
  const writer = new PageWriter(page, body);
  for (const line of lines) writer.add(line);
  return writer.done();
}

function runOf({ str = '', width, height, transform }: PlacedText): TextRun[] {
  const [a = 0, b = 0, , d = 0, x = 0, y = 0] = transform;
  const size = height || Math.hypot(b, d) || Math.hypot(a, b);
  return str.trim() === '' || size < SMALLEST ? [] : [{ text: str, x, y, width, size }];
}

function linesFrom(runs: readonly TextRun[]): TextLine[] {
  const lines: TextLine[] = [];
  for (const run of runs) {
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(line.y - run.y) < SAME_LINE * run.size) line.runs.push(run);
    else lines.push({ runs: [run], y: run.y, size: run.size });
  }
  for (const line of lines) line.runs.sort((a, b) => a.x - b.x);
  return lines;
}

function cellsOf({ runs, size }: TextLine): string[] {
  const cells: string[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const run of runs) {
    const gap = run.x - end;
    if (cells.length === 0 || gap > COLUMN_GAP * size) cells.push(run.text);
    else cells[cells.length - 1] += `${gap > WORD_GAP * size ? ' ' : ''}${run.text}`;
    end = run.x + run.width;
  }
  return cells.map(normalizeText);
}

class PageWriter {
  readonly #page: number;
  readonly #body: number;
  readonly #blocks: DocumentBlock[] = [];
  #paragraph: string[] = [];
  #rows: string[][] = [];
  #before: TextLine | null = null;

  constructor(page: number, body: number) {
    this.#page = page;
    this.#body = body;
  }

  add(line: TextLine): void {
    const cells = cellsOf(line);
    const gap = this.#before === null ? 0 : this.#before.y - line.y;
    this.#before = line;
    if (cells.length > 1) {
      this.#endParagraph();
      this.#rows.push(cells);
      return;
    }
    this.#endTable();
    const text = cells[0] ?? '';
    if (line.size > HEADING_SIZE * this.#body && text.length <= LONGEST_HEADING) {
      this.#endParagraph();
      const level = line.size > 1.5 * this.#body ? 1 : 2;
      this.#blocks.push({ kind: 'heading', level, text, page: this.#page });
      return;
    }
    if (gap < 0 || gap > PARAGRAPH_GAP * line.size) this.#endParagraph();
    this.#paragraph.push(text);
  }

  done(): DocumentBlock[] {
    this.#endTable();
    this.#endParagraph();
    return this.#blocks;
  }

  #endParagraph(): void {
    const text = normalizeText(joined(this.#paragraph));
    if (text !== '') this.#blocks.push({ kind: 'text', text, page: this.#page });
    this.#paragraph = [];
  }

  #endTable(): void {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length >= FEWEST_ROWS) this.#blocks.push({ kind: 'table', rows, page: this.#page });
    else for (const row of rows) this.#blocks.push({ kind: 'text', text: row.join(' '), page: this.#page });
  }
}

const joined = (lines: readonly string[]): string =>
  lines.reduce(
    (text, line) =>
      /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line) ? text.slice(0, -1) + line : `${text} ${line}`,
    '',
  );

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
