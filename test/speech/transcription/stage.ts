import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdempotencyStore } from '../../../src/edge/server/index.ts';
import { createTranscriptionJobsSurface } from '../../../src/edge/surfaces/hear/index.ts';
import { createQueueSurface } from '../../../src/edge/surfaces/jobs/index.ts';
import type { AccessControl } from '../../../src/foundation/access/contract.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { acrossTenants, openBlobs, QuotaBlobs, type Storage } from '../../../src/foundation/storage/index.ts';
import {
  type JobView,
  type Recognizer,
  type SpeakerEmbedder,
  TranscriptionService,
} from '../../../src/speech/transcription/index.ts';
import { confirmsAll } from '../../edge/server/fixtures/admission.ts';
import { bearer, start } from '../../edge/server/fixtures/start.ts';
import { JobsAccess } from '../../edge/surfaces/hear/jobs-access.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { Receiver } from '../../foundation/webhooks/receiver.ts';
import { pollDelay } from '../../poll.ts';
import { decoderFor } from './decoder.ts';
import { type Line, ScriptRecognizer, ScriptVoices } from './signal-audio.ts';

export interface StageOptions {
  readonly storage: Storage;
  readonly after: (step: () => unknown) => void;
  readonly script?: (line: number) => Line;
  readonly concurrency?: number;
  /** The organization's file quota in bytes; there is none by default. */
  readonly quota?: number;
  readonly recognizer?: Recognizer;
  readonly voices?: SpeakerEmbedder;
  readonly access?: Pick<AccessControl, 'confirm'>;
  readonly liveAtRest?: (signal: AbortSignal) => Promise<void>;
}

/** The server, queue, decoder, storage and webhooks are real; the recognizer reads a script. */
export async function stage(options: StageOptions) {
  const { storage, after, script = (line) => ({ text: `line ${line}` }), concurrency = 2 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-jobs-'));
  const clock = systemClock;
  const blobs = new QuotaBlobs({
    blobs: await openBlobs({ folder: join(folder, 'blobs') }),
    storage,
    clock,
    quota: async () => options.quota ?? null,
  });
  const queue = new JobQueue(storage, clock);
  const gate = new UrlGate({ allowLoopback: true });
  const webhooks = new CheckedWebhooks({
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const recognizer = new ScriptRecognizer(script);
  const decoder = decoderFor(folder);
  const transcription = new TranscriptionService({
    access: options.access ?? confirmsAll,
    storage,
    blobs,
    gate,
    billing,
    webhooks,
    clock,
    background: new BackgroundTasks({ clock }),
    queue,
    decoder,
    recognizer: options.recognizer ?? recognizer,
    voices: options.voices ?? new ScriptVoices(script),
    ...(options.liveAtRest ? { liveAtRest: options.liveAtRest } : {}),
    spoolFolder: join(folder, 'spool'),
    concurrency,
    onError: (error) => console.error(error),
  });
  const access = new JobsAccess();
  const jobs = createTranscriptionJobsSurface({ transcription, blobs, gate, decoder });
  const { url } = await start({
    surfaces: [jobs, createQueueSurface(queue)],
    access,
    idempotencyStore: new IdempotencyStore(storage, clock),
  });
  webhooks.start();
  const receiver = new Receiver();
  const hook = await receiver.open();
  after(() => rm(folder, { recursive: true, force: true }));
  after(() => gate.close());
  after(() => receiver.close());
  after(() => webhooks.stop(0));
  after(() => transcription.stop(0));
  return {
    storage,
    blobs,
    queue,
    recognizer,
    access,
    url,
    receiver,
    hook,
    webhooks,
    serve: (file: Buffer, status?: number) => fileServer(after, file, status),
    ...client(url, storage),
  };
}

function client(url: string, storage: Storage) {
  const json = { ...bearer, 'content-type': 'application/json' };
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/transcription/jobs`, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
  const upload = (
    file: Buffer,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(file)]), 'call.wav');
    return fetch(`${url}/v1/transcription/jobs`, {
      method: 'POST',
      headers: { ...bearer, ...headers },
      body: form,
    });
  };
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: bearer });
    return { status: response.status, body: (await response.json()) as never };
  };
  /** Polls the job's row until its end: each look is one query. */
  const ended = async (id: string): Promise<JobView> => {
    for (;;) {
      const row = await acrossTenants(storage.db)
        .selectFrom('transcription_jobs')
        .select('status')
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row || row.status === 'completed' || row.status === 'failed') break;
      await pollDelay();
    }
    return (await get(`/v1/transcription/jobs/${id}`)).body;
  };
  const remove = (id: string) =>
    fetch(`${url}/v1/transcription/jobs/${id}`, { method: 'DELETE', headers: bearer });
  const submitted = async (response: Response): Promise<JobView> => {
    const view = (await response.json()) as JobView;
    if (response.status !== 201) throw new Error(`${response.status}: ${JSON.stringify(view)}`);
    return view;
  };
  return { post, upload, get, ended, remove, submitted };
}

export async function fileServer(after: StageOptions['after'], file: Buffer, status = 200): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'audio/wav' }).end(status === 200 ? file : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/call.wav`;
}
