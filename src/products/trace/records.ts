import { setImmediate } from 'node:timers/promises';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { redactInWorker } from './in-worker.ts';
import type { TraceSettingsStore } from './settings.ts';

/** Words that are read as following one another. */
type Talk = readonly unknown[];

/** How long others wait at most while a long record is read. */
const TURN_MS = 5;

interface Entry {
  readonly text: string;
  readonly role?: string;
  readonly speaker?: string;
}

/** The transcript of a call without personal data, as its record keeps it: numbers said over several turns go too. */
export async function redactedTranscript(
  transcript: readonly unknown[],
  tenant: string,
): Promise<readonly unknown[]> {
  const entries = transcript as readonly Entry[];
  const clean = await redactInWorker(
    entries.map(({ text, role, speaker = role }) => ({ text, ...(speaker ? { speaker } : {}) })),
    tenant,
  );
  return entries.map((entry, at) => ({ ...entry, text: clean[at] ?? '' }));
}

/** Stores a call's words as its agent's configuration permits; live calls do not wait for it. */
export const redactionBy =
  (settings: Pick<TraceSettingsStore, 'of'>) =>
  async (scope: TenantScope, agentId: string | null, talks: readonly Talk[]): Promise<readonly Talk[]> => {
    if (!(await settings.of(scope, agentId)).redact_records) return talks;
    const clean: Talk[] = [];
    let since = performance.now();
    for (const talk of talks) {
      if (performance.now() - since > TURN_MS) {
        await setImmediate();
        since = performance.now();
      }
      clean.push(await redactedTranscript(talk, scope.org));
    }
    return clean;
  };
