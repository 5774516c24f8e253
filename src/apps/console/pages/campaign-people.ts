import { rowsOf } from '../data/table-text.ts';

/** Returns the numbers of the column `to`, each once. */
export function numbersOf(table: string): string[] {
  const [head = [], ...rows] = rowsOf(table);
  const at = head.findIndex((name) => name.toLowerCase() === 'to');
  if (at === -1) return [];
  return [...new Set(rows.map((row) => row[at] ?? '').filter((number) => number !== ''))];
}
