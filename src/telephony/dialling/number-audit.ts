import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { AuditActor, AuditRecord } from '../../foundation/audit/index.ts';
import type { TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import { readSettings } from './number-settings.ts';

export interface NumberRows {
  readonly before: TelephonyNumberRow | null;
  readonly after: TelephonyNumberRow;
}

export function numberAuditEvent(
  by: AuditActor,
  action: `number.${string}`,
  { before, after }: NumberRows,
): AuditRecord {
  const { org, project, environment } = tenantScopeOfRow(after);
  return {
    orgId: org,
    place: { projectId: project, environment },
    by,
    action,
    target: after.id,
    before: before && auditFieldsOf(before),
    after: auditFieldsOf(after),
  };
}

/** The log names only the host of a URL: its path and query may contain a secret. */
function auditFieldsOf(row: TelephonyNumberRow) {
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
