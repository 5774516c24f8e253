const SEPARATORS = [',', ';', '\t'] as const;

/** Reads CSV, semicolons or tabs; a cell in quotes may contain separators, lines and doubled quotes. */
export function rowsOf(text: string): string[][] {
  const table = text.replace(/^\uFEFF/, '');
  const [head = ''] = table.split(/\r?\n/, 1);
  const separator = SEPARATORS.find((one) => head.includes(one)) ?? ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    row.push(cell.trim());
    cell = '';
  };
  const endRow = () => {
    endCell();
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
  };
  for (let at = 0; at < table.length; at += 1) {
    const letter = table[at] as string;
    if (isQuoted && letter === '"' && table[at + 1] === '"') {
      cell += letter;
      at += 1;
    } else if (letter === '"' && (isQuoted || cell.trim() === '')) isQuoted = !isQuoted;
    else if (isQuoted) cell += letter;
    else if (letter === separator) endCell();
    else if (letter === '\n') endRow();
    else cell += letter;
  }
  endRow();
  return rows;
}

export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) =>
      row.map((cell) => (/[",;\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','),
    )
    .join('\n');
