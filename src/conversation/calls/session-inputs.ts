import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { type Blobs, payerOf } from '../../foundation/storage/index.ts';
import { maskTrace, type SessionTrace } from '../replay/index.ts';
import { BLOB_AREA } from './transcripts.ts';

const NAME = 'session-inputs.json.gz';
/** A call of many hours has no trace rather than one that fills the storage. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface SessionInputsOptions {
  readonly blobs: Pick<Blobs, 'put'>;
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

  /** Never throws: a call ends as it does without a trace. */
  write(
    scope: TenantScope,
    callId: string,
    agents: readonly (string | null)[],
    trace: SessionTrace | null,
  ): void {
    if (trace !== null) void this.#write(scope, callId, agents, trace).catch(this.#options.onError);
  }

  async #write(
    scope: TenantScope,
    callId: string,
    agents: readonly (string | null)[],
    trace: SessionTrace,
  ): Promise<void> {
    const { blobs, redacts } = this.#options;
    const ruled = await Promise.all([...new Set(agents)].map((agentId) => redacts(scope, agentId)));
    const stored = ruled.includes(true) ? maskTrace(trace) : trace;
    const bytes = await promisify(gzip)(JSON.stringify(stored));
    if (bytes.length > MAX_BYTES) return;
    const key = { area: BLOB_AREA, owner: callId, name: NAME };
    await blobs.put(key, only(bytes), {
      payer: payerOf(scope, bytes.length),
      contentType: 'application/gzip',
    });
  }
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

async function* only(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}
