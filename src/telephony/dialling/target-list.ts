import { parse } from 'csv-parse/sync';
import { ApiError } from '../../foundation/platform/errors.ts';
import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { runInThread } from '../../foundation/platform/threads.ts';
import { canonicalNumber } from './phone-numbers.ts';

export interface ListedTarget {
  readonly to: string;
  readonly variables: Readonly<Record<string, string>>;
}

export const MOST_TARGETS = 100_000;
/** The batch bounds how long one insert delays other requests. */
const AT_ONCE = 250;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MOST_COLUMNS = 100;
const MOST_CHARACTERS = 500;
/** The limit of a line in the parser: the fields of a valid line fit into it. */
const MOST_LINE = MOST_COLUMNS * (2 * MOST_CHARACTERS + 3);
const NUMBER_COLUMNS = ['to', 'phone_number', 'phone', 'number'];
/** A shorter file is parsed in a few milliseconds, without a worker thread. */
const SHORT_BYTES = 10_000;
const PROGRAM = compiledProgram(import.meta.url, 'telephony/dialling', 'target-list.js');

export interface TargetBatches {
  readonly count: number;
  readonly batches: Iterable<readonly ListedTarget[]>;
}

export function inBatches(targets: readonly ListedTarget[]): TargetBatches {
  const batches: (readonly ListedTarget[])[] = [];
  for (let at = 0; at < targets.length; at += AT_ONCE) batches.push(targets.slice(at, at + AT_ONCE));
  return { count: targets.length, batches };
}

type Packed =
  | { readonly count: number; readonly batches: readonly string[] }
  | { readonly line: number | null; readonly wrong: string };

/** The error names what is invalid in a file; `line` is null when the whole file is. */
class UnreadableTargetList extends Error {
  readonly line: number | null;

  constructor(line: number | null, what: string) {
    super(what);
    this.line = line;
  }
}

/**
 * Parses a table whose first row names its columns: one is the number, the others are variables. A worker thread
 * parses it into packed batches, which are unpacked one by one. The buffer is transferred. Throws ApiError that names
 * the line.
 */
export async function readTargets(csv: Buffer<ArrayBuffer>, tenant: string): Promise<TargetBatches> {
  if (csv.byteLength <= SHORT_BYTES) return opened(packedTargets(csv));
  const own = csv.byteLength === csv.buffer.byteLength ? csv.buffer : Uint8Array.from(csv).buffer;
  return opened(await runInThread<Packed>(PROGRAM, packedTargets.name, own, { tenant, transfer: [own] }));
}

function opened(packed: Packed): TargetBatches {
  if ('wrong' in packed) {
    const message = packed.line === null ? packed.wrong : `Line ${packed.line}: ${packed.wrong}.`;
    throw new ApiError('invalid_request', message, { param: 'file' });
  }
  const { count, batches } = packed;
  return { count, batches: oneByOne(batches) };
}

function* oneByOne(batches: readonly string[]): Generator<readonly ListedTarget[]> {
  for (const batch of batches) yield JSON.parse(batch) as ListedTarget[];
}

export function packedTargets(csv: ArrayBuffer | Buffer): Packed {
  try {
    const { count, batches } = inBatches(targetsOf(csv instanceof ArrayBuffer ? Buffer.from(csv) : csv));
    return { count, batches: [...batches].map((batch) => JSON.stringify(batch)) };
  } catch (error) {
    if (error instanceof UnreadableTargetList) return { line: error.line, wrong: error.message };
    throw error;
  }
}

function targetsOf(csv: Buffer): ListedTarget[] {
  const rows = rowsOf(csv);
  const columns = (rows.shift() ?? []).map((name) => name.trim());
  if (columns.length > MOST_COLUMNS)
    throw new UnreadableTargetList(1, `at most ${MOST_COLUMNS} columns are allowed`);
  const at = columns.findIndex((name) => NUMBER_COLUMNS.includes(name.toLowerCase()));
  if (at < 0) throw new UnreadableTargetList(1, `no column is named ${NUMBER_COLUMNS.join(', ')}`);
  const wrong = columns.find((name, column) => column !== at && !NAME.test(name));
  if (wrong !== undefined)
    throw new UnreadableTargetList(1, `'${wrong.slice(0, 64)}' is not a valid variable name`);
  if (rows.length > MOST_TARGETS)
    throw new UnreadableTargetList(MOST_TARGETS + 2, `at most ${MOST_TARGETS} targets are allowed`);
  return rows.map((row, line) => targetOf(row, line + 2, columns, at));
}

function rowsOf(csv: Buffer): string[][] {
  try {
    return parse(csv, {
      bom: true,
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: MOST_LINE,
      to: MOST_TARGETS + 2,
    });
  } catch (cause) {
    throw new UnreadableTargetList(
      null,
      `The file is not a valid CSV file: ${(cause as Error).message.slice(0, 300)}`,
    );
  }
}

function targetOf(
  row: readonly string[],
  line: number,
  columns: readonly string[],
  at: number,
): ListedTarget {
  const to = canonicalNumber(row[at] ?? '');
  if (to === null)
    throw new UnreadableTargetList(
      line,
      `'${(row[at] ?? '').slice(0, 40)}' is not a telephone number in E.164 format`,
    );
  const variables: Record<string, string> = {};
  for (const [column, name] of columns.entries()) {
    const value = row[column];
    if (column === at || value === undefined || value === '') continue;
    if (value.length > MOST_CHARACTERS)
      throw new UnreadableTargetList(line, `${name} has more than ${MOST_CHARACTERS} characters`);
    variables[name] = value;
  }
  return { to, variables };
}
