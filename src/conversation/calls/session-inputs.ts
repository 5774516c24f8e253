import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { type Blobs, payerOf, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { maskTrace, type SessionTrace } from '../replay/index.ts';
import { BLOB_AREA } from './transcripts.ts';

const NAME = 'session-inputs.json.gz';
/** Other calls are served after each of these many events. */
const BATCH = 1_000;

export interface SessionInputsOptions {
  readonly storage: Pick<Storage, 'db'>;
  readonly blobs: Pick<Blobs, 'put' | 'deleteOwner'>;
  /** Reports whether the records of this agent's calls are redacted. */
  readonly redacts: (scope: TenantScope, agentId: string | null) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** Stores the inputs of sessions beside the transcripts of their calls, so that they are removed with them. */
export class SessionInputs {
  readonly #options: SessionInputsOptions;

  constructor(options: SessionInputsOptions) {
    this.#options = options;
  }

  /** Never rejects: a call ends as it does without a trace. */
  async write(
    scope: TenantScope,
    callId: string,
    agents: readonly (string | null)[],
    trace: SessionTrace | null,
  ): Promise<void> {
    if (trace !== null) await this.#write(scope, callId, agents, trace).catch(this.#options.onError);
  }

  async #write(
    scope: TenantScope,
    callId: string,
    agents: readonly (string | null)[],
    trace: SessionTrace,
  ): Promise<void> {
    const { storage, blobs, redacts } = this.#options;
    const ruled = await Promise.all([...new Set(agents)].map((agentId) => redacts(scope, agentId)));
    const mask = ruled.includes(true) ? maskTrace : (whole: SessionTrace) => whole;
    const bytes = await promisify(gzip)(await jsonOf(trace, mask));
    const key = { area: BLOB_AREA, owner: callId, name: NAME };
    await blobs.put(key, [bytes], {
      payer: payerOf(scope, bytes.length),
      contentType: 'application/gzip',
    });
    const call = await withinTenant(storage.db, scope)
      .selectFrom('omni_calls')
      .select('transcript_removed_at')
      .where('id', '=', callId)
      .executeTakeFirst();
    // The call may have been deleted while its trace was written.
    if (call?.transcript_removed_at !== null) await blobs.deleteOwner(BLOB_AREA, callId);
  }
}

async function jsonOf(trace: SessionTrace, mask: (trace: SessionTrace) => SessionTrace): Promise<string> {
  const { events: _, ...head } = mask({ ...trace, events: [] });
  const parts: string[] = [];
  for (let at = 0; at < trace.events.length; at += BATCH) {
    const { events } = mask({ ...trace, events: trace.events.slice(at, at + BATCH) });
    parts.push(JSON.stringify(events).slice(1, -1));
    await setImmediate();
  }
  return `${JSON.stringify(head).slice(0, -1)},"events":[${parts.join(',')}]}`;
}

export async function readSessionInputs(
  blobs: Pick<Blobs, 'get'>,
  callId: string,
): Promise<SessionTrace | null> {
  const body = await blobs.get({ area: BLOB_AREA, owner: callId, name: NAME });
  if (body === null) return null;
  const text = await promisify(gunzip)(await buffer(body.stream));
  return JSON.parse(text.toString()) as SessionTrace;
}
