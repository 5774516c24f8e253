import { reachOfRow } from '../../foundation/access/index.ts';
import type { Deed, Doer } from '../../foundation/audit/index.ts';
import type { TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import { readSettings } from './number-settings.ts';

/** A number before a change and after it; null: nobody here had it. */
export interface NumberRows {
  readonly before: TelephonyNumberRow | null;
  readonly after: TelephonyNumberRow;
}

/** One change of a number, as the audit log keeps it. */
export function numberDeed(by: Doer, action: `number.${string}`, { before, after }: NumberRows): Deed {
  const { org, project, environment } = reachOfRow(after);
  return {
    orgId: org,
    place: { projectId: project, environment },
    by,
    action,
    target: after.id,
    before: before && toldOf(before),
    after: toldOf(after),
  };
}

/** Of an address the log names the host alone: its path and query may hold a secret. */
function toldOf(row: TelephonyNumberRow) {
  const { webhook_url, route, ...settings } = readSettings(row.settings);
  const { url, ...way } = route;
  return {
    phone_number: row.phone_number,
    status: row.status,
    agent_id: row.agent_id,
    settings: {
      ...settings,
      route: url === undefined ? way : { ...way, host: hostOf(url) },
      webhook_host: webhook_url === null ? null : hostOf(webhook_url),
    },
  };
}

const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null);
