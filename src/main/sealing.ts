import type { Transaction } from 'kysely';
import { isPlainSecret, SEALING_ROWS, Sealer, SealingKey } from '../foundation/access/index.ts';
import type { Clock } from '../foundation/platform/clock.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import { openOrFailStart } from '../foundation/platform/start-error.ts';
import { acrossTenants, type EveryTable, type Storage, type Tables } from '../foundation/storage/index.ts';
import { isSigningSecret } from '../foundation/webhooks/index.ts';
import { addressPlace, isPlainAddress } from '../products/integrations/index.ts';

/** Each module encrypts with its own key, which is derived from the sealing key by this purpose. */
export const PURPOSES = {
  tools: 'tool headers',
  numbers: 'messaging app numbers',
  destinations: 'destinations',
  compliance: 'compliance',
  webhooks: 'webhook secrets',
  deployment: 'deployment secrets',
  checkpoints: 'call checkpoints',
  telephones: 'sip telephones',
  providers: 'provider keys',
  recordings: 'parts of recordings',
} as const;

interface SealedColumn {
  readonly table: keyof EveryTable;
  readonly column: string;
  readonly purpose: string;
  readonly by: readonly string[];
  readonly place: (row: Readonly<Record<string, string>>) => string;
  /** Earlier versions stored the column as plain text. */
  readonly isPlain?: (text: string) => boolean;
  readonly skips?: (row: Readonly<Record<string, string>>) => boolean;
}

const byId = (table: keyof EveryTable, column: string, purpose: string, prefix = ''): SealedColumn => ({
  table,
  column,
  purpose,
  by: ['id'],
  place: ({ id }) => `${prefix}${id}`,
});

const ofPlace = (column: string): SealedColumn => ({
  table: 'webhook_secrets',
  column,
  purpose: PURPOSES.webhooks,
  by: ['org_id', 'project_id', 'environment'],
  place: ({ org_id, project_id, environment }) => `${org_id} ${project_id} ${environment}`,
  isPlain: isSigningSecret,
});

const SEALED: readonly SealedColumn[] = [
  byId('agent_tools', 'headers', PURPOSES.tools),
  byId('sip_telephones', 'secret', PURPOSES.telephones),
  byId('msgapp_numbers', 'secrets', PURPOSES.numbers),
  byId('provider_keys', 'secret', PURPOSES.providers),
  byId('destinations', 'settings', PURPOSES.destinations),
  {
    table: 'destinations',
    column: 'url',
    purpose: PURPOSES.destinations,
    by: ['id'],
    place: ({ id }) => addressPlace(String(id)),
    isPlain: isPlainAddress,
  },
  byId('call_checkpoints', 'state', PURPOSES.checkpoints),
  byId('compliance_extractions', 'fields', PURPOSES.compliance, 'compliance fields '),
  byId('compliance_corrections', 'sealed', PURPOSES.compliance, 'compliance correction '),
  ofPlace('secret'),
  ofPlace('previous_secret'),
  {
    table: 'deployment_secrets' as keyof EveryTable,
    column: 'value',
    purpose: PURPOSES.deployment,
    by: ['name'],
    place: ({ name }) => String(name),
    isPlain: isPlainSecret,
    skips: ({ name }) => SEALING_ROWS.includes(String(name)),
  },
];

/** Re-encrypts with the current key what an older key encrypted, and encrypts plain text. */
export async function resealAll(
  trx: Transaction<Tables>,
  { old, current }: { readonly old: Buffer | null; readonly current: Buffer },
): Promise<void> {
  for (const one of SEALED) await resealColumn(trx, one, old ?? current, current);
}

async function resealColumn(
  trx: Transaction<Tables>,
  { table, column, purpose, by, place, isPlain, skips }: SealedColumn,
  old: Buffer,
  current: Buffer,
): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: a table and its columns by their names.
  const db = acrossTenants(trx) as any;
  const rows: Record<string, string>[] = await db
    .selectFrom(table)
    .select([...by, column])
    .where(column, 'is not', null)
    .execute();
  const [from, to] = [new Sealer(old, purpose), new Sealer(current, purpose)];
  for (const row of rows) {
    if (skips?.(row)) continue;
    const sealed = row[column] as string;
    const text = isPlain?.(sealed) ? sealed : opened([from, to], sealed, place(row));
    // The row's key is lost, so the value could not be read before either.
    if (text === null) continue;
    let update = db.updateTable(table).set({ [column]: to.seal(text, place(row)) });
    for (const name of by) update = update.where(name, '=', row[name]);
    await update.execute();
  }
}

/** Tries each key in order, because rows may be sealed by the key that preceded the setting. */
function opened(sealers: readonly Sealer[], sealed: string, place: string): string | null {
  for (const sealer of sealers) {
    try {
      return sealer.open(sealed, place);
    } catch {}
  }
  return null;
}

export const openSealing = (config: Config, storage: Storage, clock: Clock): Promise<SealingKey> =>
  openOrFailStart('the sealing key', 'TRUNKLINE_DATA or TRUNKLINE_KEY_SECRET', () =>
    SealingKey.open({
      storage,
      clock,
      dataDir: config.data,
      keySecret: config.keySecret,
      reseal: resealAll,
    }),
  );
