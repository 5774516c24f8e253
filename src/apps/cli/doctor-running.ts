/** Reads `/readyz` of the running server: only that process knows what failed in its calls. */
import type { Config } from '../../foundation/platform/config/index.ts';
import type { DoctorFinding } from './doctor-checks.ts';

interface ReadinessReport {
  readonly status: string;
  readonly parts: readonly { readonly name: string; readonly ready: boolean; readonly detail?: string }[];
}

const READINESS_TIMEOUT_MS = 2_000;

export async function runningFindings({ port }: Pick<Config, 'port'>): Promise<DoctorFinding[]> {
  const name = `server on port ${port}`;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(READINESS_TIMEOUT_MS),
    });
    const { status, parts } = (await answer.json()) as ReadinessReport;
    const serving = { name, works: status === 'ready', required: false, detail: status };
    const faults = parts.filter(({ ready }) => !ready);
    return [serving, ...faults.map((part) => finding(name, part))];
  } catch {
    return [
      {
        name,
        works: false,
        required: false,
        detail: 'no server answers on this port: it is not running, or another program holds the port',
      },
    ];
  }
}

const finding = (server: string, { name, detail }: ReadinessReport['parts'][number]): DoctorFinding => ({
  name: `${server}: ${name}`,
  works: false,
  required: false,
  ...(detail ? { detail } : {}),
});
