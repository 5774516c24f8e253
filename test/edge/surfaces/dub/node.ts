import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_RETENTION } from '../../../../src/foundation/access/index.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../../src/foundation/platform/clock.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { UrlGate } from '../../../../src/foundation/platform/url-gate/index.ts';
import { openBlobs, QuotaBlobs, type Storage } from '../../../../src/foundation/storage/index.ts';
import { Webhooks } from '../../../../src/foundation/webhooks/index.ts';
import { findFfmpeg } from '../../../../src/media/codec/index.ts';
import {
  DubService,
  DubVoices,
  TranslationDirections,
  type Translator,
} from '../../../../src/products/dub/index.ts';
import { Marks } from '../../../../src/products/provenance/index.ts';
import type { Recognizer, SpeakerEmbedder } from '../../../../src/speech/transcription/index.ts';
import { StockVoices, StyleFitter, VoiceCatalogue, VoiceStore } from '../../../../src/speech/voices/index.ts';
import { WEBHOOK_SEALER } from '../../../foundation/webhooks/sealer.ts';
import { sharedEngine } from '../../../media/engine/shared-engine.ts';
import { decoderFor } from '../../../speech/transcription/decoder.ts';
import { type Line, ScriptRecognizer, ScriptVoices } from '../../../speech/transcription/signal-audio.ts';
import { confirmsAll } from '../../server/fixtures/admission.ts';

const models = new Models();
export class Phrasebook implements Translator {
  readonly keepsGlossary = false;
  readonly shortens = false;
  readonly reads = 'text';
  readonly goodForMs = 3_600_000;
  readonly name: Translator['name'];
  readonly asked: string[] = [];
  readonly #phrases: Readonly<Record<string, string>>;
  before: (text: string) => void = () => {};

  constructor(name: Translator['name'], phrases: Readonly<Record<string, string>>) {
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

export class OneAnswer extends Phrasebook {
  override async translate(): Promise<string> {
    return 'Muy bien, gracias.';
  }
}

export interface DubOptions {
  readonly storage: Storage;
  readonly script: (line: number) => Line;
  readonly translators: readonly Translator[];
  readonly folder?: string;
  readonly clock?: Clock;
  readonly secret?: string;
  readonly hears?: { readonly recognizer: Recognizer; readonly voiceReader: SpeakerEmbedder };
}

/** The queue, decoder, storage, voices and mixer are real; the recognizer reads a script. */
export async function openDub({ storage, script, translators, clock = systemClock, ...options }: DubOptions) {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'trunkline-dub-')));
  const blobs = new QuotaBlobs({
    blobs: await openBlobs({ folder: join(folder, 'blobs') }),
    storage,
    clock,
    quota: async () => null,
  });
  const queue = new JobQueue(storage, clock);
  const gate = new UrlGate({ allowLoopback: true });
  const webhooks = new Webhooks({
    sealer: WEBHOOK_SEALER,
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const decoder = decoderFor(folder);
  const stock = new StockVoices();
  const opened = sharedEngine();
  await opened.prepared();
  const voices = new DubVoices(opened, stock, new StyleFitter(opened, stock), join(folder, 'voices.json'));
  const marks = options.secret === undefined ? null : new Marks(storage, clock, Buffer.from(options.secret));
  const catalogue = new VoiceCatalogue(stock, new VoiceStore(storage, clock), marks);
  const recognizer = new ScriptRecognizer(script);
  const directions = new TranslationDirections({ translators, clock, speaks: voices.speaks });
  const openService = () =>
    new DubService({
      storage,
      blobs,
      engine: opened,
      decoder,
      ffmpeg: findFfmpeg(null, models)?.path ?? null,
      temporary: folder,
      recognizer,
      voiceReader: new ScriptVoices(script),
      ...options.hears,
      catalogue,
      voices,
      directions,
      gate,
      access: confirmsAll,
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
      webhooks,
      queue,
      clock,
      background: new BackgroundTasks({ clock }),
      retention: async () => DEFAULT_RETENTION,
      spoolFolder: join(folder, 'spool'),
      onError: (error) => console.error(error),
      waitsMs: [1],
    });
  return { folder, clock, storage, blobs, gate, decoder, catalogue, marks, recognizer, openService };
}
