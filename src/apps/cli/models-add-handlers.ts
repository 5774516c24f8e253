import { createInterface } from 'node:readline/promises';
import type { Config } from '../../foundation/platform/config/index.ts';
import { Models } from '../../foundation/platform/models/index.ts';
import { GateError, UrlGate } from '../../foundation/platform/url-gate/index.ts';
import { openEngine } from '../../main/engine.ts';
import {
  AddedModelError,
  AddedModels,
  addModel,
  hubOf,
  type Measured,
  megabytes,
  type Offer,
  type PiperFacts,
  testVoice,
  titleOf,
  voiceIds,
} from '../../speech/added-models/index.ts';
import { addedVoices, StockVoices, stockVoice, voiceOfModel } from '../../speech/voices/index.ts';
import { type CliContext, printable } from './command.ts';
import type { AddModelOptions, UseOptions } from './models.ts';

const PROGRESS_MS = 250;
const LINE_MS = 10_000;

export const add = (context: CliContext, source: string, options: AddModelOptions): Promise<void> =>
  tried(context, async () => {
    const config = context.config();
    const models = new AddedModels(config.data);
    const voices = stockVoices(models);
    const hub = hubOf(context.environment);
    const gate = gateOf(config, context.environment.HF_ENDPOINT ? hub.endpoint : null);
    const interrupted = new AbortController();
    const interrupt = () => interrupted.abort();
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    const line = new ProgressLine(context);
    try {
      const added = await addModel(models, source, {
        ...(options.as === undefined ? {} : { name: options.as }),
        from: config.modelsFrom,
        modelsRoot: new Models({ root: config.models }).root,
        network: { gate, hub },
        signal: interrupted.signal,
        isFree: (id) => voices.isFree(id),
        agree: (offer, found) => agree(context, source, offer, found, options.yes === true),
        progress: (bytes, of) => line.show(bytes, of),
        step: (text) => line.end(text),
        languageModel: async (file) => {
          const { add: addBrain } = await import('./brain-add-handlers.ts');
          await addBrain(context, file, options.as === undefined ? {} : { name: options.as });
        },
        test: (folder, voice) => tryVoice(context, folder, voice, interrupted.signal),
        now: () => new Date(),
      });
      line.end();
      if (added === null) {
        context.out('not added');
        context.exit(1);
        return;
      }
      if (added === 'language model') return;
      const { measured, voice } = added;
      context.out(`${added.name}: ${printable(titleOf(voice))}, added`);
      context.out(
        measured.heard === null
          ? `  heard     recognition does not know ${voice.language}: the voice speaks, nobody here can say how well`
          : `  heard     "${printable(measured.heard)}"`,
      );
      context.out(
        `  measured  real-time factor ${measured.realTimeFactor}, ${megabytes(measured.memoryBytes)} of memory`,
      );
      context.out(`  voices    ${shortened(voiceIds(added))}`);
      context.out('  served    now, by servers of this data folder; no restart is needed');
    } finally {
      line.end();
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      await gate.close();
    }
  });

export const verify = (context: CliContext): Promise<void> =>
  tried(context, async () => {
    const models = new AddedModels(context.config().data);
    for (const model of models.list) {
      const changed = await models.changedFiles(model);
      for (const file of changed)
        context.error(
          `error: ${file} is absent or has other bytes than were pinned: remove ${model.name} and add it again`,
        );
      if (changed.length > 0) context.exit(1);
      else context.out(`${model.name}: every file has the bytes that were pinned`);
    }
  });

export const remove = (context: CliContext, name: string): Promise<void> =>
  tried(context, async () => {
    new AddedModels(context.config().data).remove(name);
    context.out(`${name} is removed; calls that speak with it end with it`);
  });

export const use = (context: CliContext, name: string, options: UseOptions): Promise<void> =>
  tried(context, async () => {
    const models = new AddedModels(context.config().data);
    const voices = stockVoices(models);
    if (name === 'default') {
      const { language } = options;
      if (language === undefined) throw new AddedModelError('--language is missing: whose default is it?');
      models.useVoice(language, null);
      const voice = voices.defaultFor(language);
      context.out(`${language} is spoken by ${voice?.id ?? 'no voice'} where none is named`);
      return;
    }
    const voice = voices.find(name);
    if (voice === undefined)
      throw new AddedModelError(`there is no voice ${name}: npx trunkline models list, GET /v1/voices`);
    const language = options.language ?? voice.language;
    if (voice.language !== language)
      throw new AddedModelError(`${voice.id} speaks ${voice.language}, not ${language}`);
    models.useVoice(language, voice.id);
    context.out(`${language} is spoken by ${voice.id} where none is named`);
  });

const stockVoices = (models: AddedModels): StockVoices => new StockVoices(undefined, addedVoices(models));

/** HF_ENDPOINT may name a private host, because the operator's setting is trusted like TRUNKLINE_PRIVATE_HOSTS. */
function gateOf(config: Config, endpoint: string | null): UrlGate {
  const hosts = endpoint === null ? [] : [new URL(endpoint).host];
  return new UrlGate({
    allowLoopback: config.allowLoopbackUrls,
    privateHosts: new Set([...config.privateHosts, ...hosts]),
  });
}

async function tried(context: CliContext, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AddedModelError || error instanceof GateError)) throw error;
    context.error(`error: ${printable(error.message)}`);
    context.exit(1);
  }
}

async function agree(
  context: CliContext,
  source: string,
  offer: Offer,
  found: string | null,
  yes: boolean,
): Promise<boolean> {
  const size = offer.bytes === null ? 'of unknown size' : megabytes(offer.bytes);
  const count = offer.files.length === 1 ? '1 file' : `${offer.files.length} files`;
  context.out(printable(`${source}: ${found ?? 'told by its content once it is here'}`));
  if (offer.revision) context.out(`  revision  ${offer.revision}`);
  context.out(`  size      ${count}, ${size}`);
  context.out(`  licence   ${printable(offer.licence ?? 'not stated: make sure that you may use it')}`);
  if (yes) return true;
  if (process.stdin.isTTY !== true)
    throw new AddedModelError('nobody is there to agree to it: say --yes when you do');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question('Add it? [y/N] ')).trim());
  } finally {
    lines.close();
  }
}

async function tryVoice(
  context: CliContext,
  folder: string,
  voice: PiperFacts,
  signal: AbortSignal,
): Promise<Measured> {
  const config = context.config();
  const models = new Models({ root: config.models });
  const engine = openEngine({ ...config, maxLanes: 1 }, models, context.log(config));
  try {
    await engine.prepared();
    const failed = engine
      .kinds()
      .find(({ name, readiness }) => ['synthesize', 'transcribe'].includes(name) && readiness !== 'ready');
    if (failed)
      throw new AddedModelError(`the engine cannot try the voice: ${failed.problem ?? failed.name}`);
    const measured = { realTimeFactor: 0, memoryBytes: 0, spoken: '', heard: null };
    const tried = stockVoice(voiceOfModel({ name: 'tried', voice, measured }, folder));
    return await testVoice(engine, tried.engine, signal);
  } catch (error) {
    if (error instanceof AddedModelError) throw error;
    throw new AddedModelError(`the voice cannot speak: ${innermost(error as Error)}`);
  } finally {
    await engine.destroy();
  }
}

/** The engine's own message is the innermost cause of the customer's error. */
const innermost = (error: Error): string =>
  error.cause instanceof Error ? innermost(error.cause) : error.message;

const MOST_SHOWN = 6;
const shortened = (names: readonly string[]): string =>
  names.length <= MOST_SHOWN
    ? names.join(', ')
    : `${names.slice(0, MOST_SHOWN).join(', ')} and ${names.length - MOST_SHOWN} more`;

class ProgressLine {
  readonly #context: CliContext;
  readonly #over = process.stderr.isTTY === true;
  #shownAt = 0;
  #open = false;

  constructor(context: CliContext) {
    this.#context = context;
  }

  show(bytes: number, of: number | null): void {
    const now = performance.now();
    if (this.#shownAt > 0 && now - this.#shownAt < (this.#over ? PROGRESS_MS : LINE_MS)) return;
    this.#shownAt = now;
    const text = of === null ? megabytes(bytes) : `${megabytes(bytes)} of ${megabytes(of)}`;
    if (this.#over) process.stderr.write(`\r\x1b[K  arriving  ${text}`);
    else this.#context.error(`  arriving  ${text}`);
    this.#open = this.#over;
  }

  end(step?: string): void {
    if (this.#open) process.stderr.write('\r\x1b[K');
    this.#open = false;
    if (step) this.#context.error(`  ${step}`);
  }
}
