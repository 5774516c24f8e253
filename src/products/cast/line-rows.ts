import { setImmediate } from 'node:timers/promises';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import { withinTenant } from '../../foundation/storage/index.ts';
import type { ScriptedLine } from './contract.ts';

/** A statement has this many rows, because live calls share the connection: ten thousand rows would delay them. */
const ROWS = 250;

/** Writes only the lines that differ from `before` or moved. */
export async function writeLines(
  trx: Trx,
  scope: TenantScope,
  castId: string,
  before: readonly ScriptedLine[],
  lines: readonly ScriptedLine[],
): Promise<void> {
  const own = withinTenant(trx, scope);
  const gone = before.filter((line, at) => lines[at] !== line).map(({ id }) => id);
  const rows = lines.flatMap((line, at) => (before[at] === line ? [] : [rowOf(castId, line, at)]));
  for (const ids of inParts(gone)) {
    await own.deleteFrom('cast_lines').where('cast_id', '=', castId).where('id', 'in', ids).execute();
    await setImmediate();
  }
  for (const some of inParts(rows)) {
    await own.insertInto('cast_lines', some).execute();
    await setImmediate();
  }
}

const rowOf = (castId: string, { direction, ...line }: ScriptedLine, ordinal: number) => ({
  ...line,
  cast_id: castId,
  ordinal,
  direction: JSON.stringify(direction),
});

const inParts = <T>(all: readonly T[]): readonly T[][] =>
  Array.from({ length: Math.ceil(all.length / ROWS) }, (_, part) =>
    all.slice(part * ROWS, (part + 1) * ROWS),
  );
