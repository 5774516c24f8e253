import { parse } from 'csv-parse/sync';
import { ApiError } from '../platform/errors.ts';
import { canonicalNumber } from './phone-numbers.ts';

export interface Target {
  /** E.164 */
  readonly to: string;
  readonly variables: Readonly<Record<string, string>>;
}

export const MOST_TARGETS = 100_000;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MOST_CHARACTERS = 500;
const NUMBER_COLUMNS = ['to', 'phone_number', 'phone', 'number'];

/** A table whose first row names its columns: one of them the number, the others variables. Throws ApiError that names the line. */
export function readTargets(csv: Buffer): Target[] {
  const rows = rowsOf(csv);
  const columns = rows.shift() ?? [];
  const at = columns.findIndex((name) => NUMBER_COLUMNS.includes(name.trim().toLowerCase()));
  if (at < 0) throw bad(1, `no column is named ${NUMBER_COLUMNS.join(', ')}`);
  const wrong = columns.find((name, column) => column !== at && !NAME.test(name.trim()));
  if (wrong !== undefined) throw bad(1, `'${wrong.slice(0, 64)}' is no name of a variable`);
  if (rows.length > MOST_TARGETS) throw bad(MOST_TARGETS + 2, `${MOST_TARGETS} targets are the most`);
  return rows.map((row, line) => targetOf(row, line + 2, columns, at));
}

function rowsOf(csv: Buffer): string[][] {
  try {
    return parse(csv, { bom: true, skip_empty_lines: true, relax_column_count: true, to: MOST_TARGETS + 2 });
  } catch (cause) {
    throw new ApiError('invalid_request', `The file is no CSV: ${(cause as Error).message}`, {
      param: 'file',
      cause,
    });
  }
}

function targetOf(row: readonly string[], line: number, columns: readonly string[], at: number): Target {
  const to = canonicalNumber(row[at] ?? '');
  if (to === null) throw bad(line, `'${(row[at] ?? '').slice(0, 40)}' is no telephone number in E.164`);
  const variables: Record<string, string> = {};
  for (const [column, name] of columns.entries()) {
    const value = row[column];
    if (column === at || value === undefined || value === '') continue;
    if (value.length > MOST_CHARACTERS) throw bad(line, `${name} is over ${MOST_CHARACTERS} characters`);
    variables[name.trim()] = value;
  }
  return { to, variables };
}

const bad = (line: number, what: string): ApiError =>
  new ApiError('invalid_request', `Line ${line}: ${what}.`, { param: 'file' });
