import { rm } from 'node:fs/promises';
import { IdempotencyStore } from '../../../../src/edge/server/index.ts';
import { createDubSurface } from '../../../../src/edge/surfaces/dub/index.ts';
import { acrossTenants, type Storage } from '../../../../src/foundation/storage/index.ts';
import { pollDelay } from '../../../poll.ts';
import { bearer, start } from '../../server/fixtures/start.ts';
import { JobsAccess } from '../hear/jobs-access.ts';
import { type DubOptions, openDub } from './node.ts';

export { OneAnswer, Phrasebook } from './node.ts';

export interface StageOptions extends DubOptions {
  readonly after: (step: () => unknown) => void;
  readonly idle?: boolean;
}

export async function stage({ after, ...options }: StageOptions) {
  const opened = await openDub(options);
  const { folder, storage, blobs, gate, decoder, catalogue, clock, openService, recognizer, marks } = opened;
  const service = openService();
  const access = new JobsAccess();
  const surface = createDubSurface({ dubbing: service, blobs, gate, decoder, voices: catalogue });
  const { url } = await start({
    surfaces: [options.idle === true ? { ...surface, start: async () => {} } : surface],
    access,
    idempotencyStore: new IdempotencyStore(storage, clock),
  });
  after(() => rm(folder, { recursive: true, force: true }));
  after(() => gate.close());
  after(() => service.stop(0));
  return { folder, blobs, service, openService, recognizer, access, marks, ...client(url, storage) };
}

export interface Body {
  readonly id: string;
  readonly data: readonly SegmentSeen[];
}

export interface SegmentSeen {
  readonly spoken: { readonly duration_ms: number };
}

function client(url: string, storage: Storage) {
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: body === undefined ? bearer : { ...bearer, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const upload = async (file: Buffer, fields: Record<string, string>, name = 'talk.wav') => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(file)]), name);
    const response = await fetch(`${url}/v1/dub`, { method: 'POST', headers: bearer, body: form });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const fetchFile = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, { headers: { ...bearer, ...headers } });
  const until = async (id: string, wanted: (status: string, spoken: number) => boolean): Promise<void> => {
    for (;;) {
      const row = await acrossTenants(storage.db)
        .selectFrom('dub_jobs')
        .select('status')
        .where('id', '=', id)
        .executeTakeFirst();
      const spoken = await acrossTenants(storage.db)
        .selectFrom('dub_segments')
        .select('number')
        .where('job_id', '=', id)
        .where('spoken', 'is not', null)
        .execute();
      if (!row || wanted(row.status, spoken.length)) return;
      await pollDelay();
    }
  };
  const ended = async (id: string) => {
    await until(id, (status) => status === 'done' || status === 'error');
    return (await send('GET', `/v1/dub/${id}`)).body;
  };
  return { send, upload, fetchFile, until, ended };
}
