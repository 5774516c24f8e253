const SEPARATORS = [',', ';', '\t'] as const;

function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (const letter of line) {
    if (letter === '"') quoted = !quoted;
    else if (letter === separator && !quoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += letter;
  }
  return [...cells, cell.trim()];
}

/** Returns the numbers of the column `to`, each once. */
export function numbersOf(table: string): string[] {
  const lines = table
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  const [head = ''] = lines;
  const separator = SEPARATORS.find((one) => head.includes(one)) ?? ',';
  const at = cellsOf(head, separator).findIndex((name) => name.toLowerCase() === 'to');
  if (at === -1) return [];
  const numbers = lines.slice(1).map((line) => cellsOf(line, separator)[at] ?? '');
  return [...new Set(numbers.filter((number) => number !== ''))];
}
