import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_RETENTION } from '../../../src/access/index.ts';
import { createBilling } from '../../../src/billing/index.ts';
import { findFfmpeg } from '../../../src/codec/index.ts';
import { Directions, DubRoom, type TranslationDoor, Voices } from '../../../src/dub/index.ts';
import { Engine, speechSettings } from '../../../src/engine/index.ts';
import { JobQueue } from '../../../src/jobs/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { Models } from '../../../src/platform/models/index.ts';
import { UrlGate } from '../../../src/platform/url-gate/index.ts';
import { KeptAnswers } from '../../../src/server/index.ts';
import { AccountedBlobs, acrossBorders, openBlobs, type Storage } from '../../../src/storage/index.ts';
import { createDubSurface } from '../../../src/surfaces/dub/index.ts';
import { StockVoices, StyleFitter, VoiceCatalogue, VoiceStore } from '../../../src/voices/index.ts';
import { Webhooks } from '../../../src/webhooks/index.ts';
import { lookAgain } from '../../look-again.ts';
import { confirmsAll } from '../../server/fixtures/admission.ts';
import { bearer, start } from '../../server/fixtures/start.ts';
import { decoderFor } from '../../transcription/decoder.ts';
import { type Line, ScriptRecognizer, ScriptVoices } from '../../transcription/signal-audio.ts';
import { JobsAccess } from '../hear/jobs-access.ts';

const models = new Models();
let engine: Engine | null = null;

/** One for the file: its models take seconds to open. */
export async function sharedEngine(): Promise<Engine> {
  engine ??= new Engine({
    models: models.wholeFiles(),
    device: 'cpu',
    settings: speechSettings(models.root),
  });
  await engine.prepared();
  return engine;
}

export function closeEngine(): void {
  engine?.destroy();
  engine = null;
}

/** A door that knows its sentences by heart; `before` runs ahead of each and may fail. */
export class Phrasebook implements TranslationDoor {
  readonly keepsGlossary = false;
  readonly shortens = false;
  readonly reads = 'text';
  readonly goodForMs = 3_600_000;
  readonly name: TranslationDoor['name'];
  readonly asked: string[] = [];
  readonly #phrases: Readonly<Record<string, string>>;
  before: (text: string) => void = () => {};

  constructor(name: TranslationDoor['name'], phrases: Readonly<Record<string, string>>) {
    this.name = name;
    this.#phrases = phrases;
  }

  async offers() {
    return [{ source: 'en', target: 'es', via: null }];
  }

  async translate(_offer: unknown, { text }: { readonly text: string }): Promise<string> {
    this.asked.push(text);
    this.before(text);
    const translated = this.#phrases[text];
    if (translated === undefined) throw new Error(`no such phrase: ${text}`);
    return translated;
  }
}

export interface StageOptions {
  readonly storage: Storage;
  /** Runs after the test, before the storage is closed. */
  readonly after: (step: () => unknown) => void;
  readonly script: (line: number) => Line;
  readonly doors: readonly TranslationDoor[];
}

/** The real server, queue, decoder, storage, voices and mixing; only what recognizes speech reads a script. */
export async function stage({ storage, after, script, doors }: StageOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-dub-'));
  const clock = systemClock;
  const blobs = new AccountedBlobs({
    blobs: await openBlobs({ folder: join(folder, 'blobs') }),
    storage,
    clock,
    quota: async () => null,
  });
  const queue = new JobQueue(storage, clock);
  const gate = new UrlGate({ allowLoopback: true });
  const webhooks = new Webhooks({ storage, queue, gate, clock });
  const decoder = decoderFor(folder);
  const stock = new StockVoices();
  const opened = await sharedEngine();
  const voices = new Voices(opened, stock, new StyleFitter(opened, stock), join(folder, 'voices.json'));
  const catalogue = new VoiceCatalogue(stock, new VoiceStore(storage, clock));
  const recognizer = new ScriptRecognizer(script);
  const directions = new Directions({ doors, clock, speaks: voices.speaks });
  const openRoom = () =>
    new DubRoom({
      storage,
      blobs,
      engine: opened,
      decoder,
      ffmpeg: findFfmpeg(null, models)?.path ?? null,
      temporary: folder,
      recognizer,
      voiceReader: new ScriptVoices(script),
      catalogue,
      voices,
      directions,
      gate,
      access: confirmsAll,
      billing: createBilling({ storage, clock }),
      webhooks,
      queue,
      clock,
      retention: async () => DEFAULT_RETENTION,
      spoolFolder: join(folder, 'spool'),
      onError: (error) => console.error(error),
      waitsMs: [1],
    });
  const room = openRoom();
  const access = new JobsAccess();
  const surface = createDubSurface({ room, blobs, gate, decoder, voices: catalogue });
  const { url } = await start({ surfaces: [surface], access, answers: new KeptAnswers(storage, clock) });
  after(() => rm(folder, { recursive: true, force: true }));
  after(() => gate.close());
  after(() => room.stop(0));
  return { blobs, room, openRoom, recognizer, access, ...client(url, storage) };
}

/** What the tests look into; the rest they match. */
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
  const upload = async (file: Buffer, fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(file)]), 'talk.wav');
    const response = await fetch(`${url}/v1/dub`, { method: 'POST', headers: bearer, body: form });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const fetchFile = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, { headers: { ...bearer, ...headers } });
  /** Waits by looking at the row: each look is one query. */
  const until = async (id: string, wanted: (status: string, spoken: number) => boolean): Promise<void> => {
    for (;;) {
      const row = await acrossBorders(storage.db)
        .selectFrom('dub_jobs')
        .select('status')
        .where('id', '=', id)
        .executeTakeFirst();
      const spoken = await acrossBorders(storage.db)
        .selectFrom('dub_segments')
        .select('number')
        .where('job_id', '=', id)
        .where('spoken', 'is not', null)
        .execute();
      if (!row || wanted(row.status, spoken.length)) return;
      await lookAgain();
    }
  };
  const ended = async (id: string) => {
    await until(id, (status) => status === 'done' || status === 'error');
    return (await send('GET', `/v1/dub/${id}`)).body;
  };
  return { send, upload, fetchFile, until, ended };
}
