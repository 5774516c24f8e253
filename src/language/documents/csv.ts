import { parse } from 'csv-parse/sync';
import { normalizeText, type ParsedDocument, UnreadableDocument } from './blocks.ts';
import { textOf } from './plain-text.ts';

const DELIMITERS = [',', ';', '\t', '|'];
const LOOKED_AT = 4_000;
const MOST_ROWS = 100_000;

function delimiterOf(text: string): string {
  const head = text.slice(0, LOOKED_AT);
  const counts = DELIMITERS.map((sign) => head.split(sign).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

export function readCsv(bytes: Uint8Array): ParsedDocument {
  const text = textOf(bytes);
  let rows: string[][];
  try {
    rows = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: MOST_ROWS,
    });
  } catch (cause) {
    throw new UnreadableDocument(`The file is no CSV: ${(cause as Error).message}`, { cause });
  }
  const cells = rows.map((row) => row.map(normalizeText)).filter((row) => row.some((cell) => cell !== ''));
  return { title: null, blocks: cells.length === 0 ? [] : [{ kind: 'table', rows: cells }] };
}
