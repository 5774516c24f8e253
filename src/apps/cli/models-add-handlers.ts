import { createInterface } from 'node:readline/promises';
import { Models } from '../../foundation/platform/models/index.ts';
import { GateError } from '../../foundation/platform/url-gate/index.ts';
import { openEngine, servesGpu } from '../../main/engine.ts';
import { type Engine, HEAR_LANGUAGES } from '../../media/engine/index.ts';
import {
  type AddedModel,
  AddedModelError,
  AddedModels,
  addModel,
  type EmbedderFacts,
  type EmbedderMeasured,
  type Measured,
  megabytes,
  type Offer,
  openModelNetwork,
  type PiperFacts,
  STOCK_EMBEDDERS,
  STOCK_RECOGNIZER,
  testEmbedder,
  testRecognizer,
  testVoice,
  titleOf,
  voiceIdsOf,
  type WhisperFacts,
  withRule,
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
    const network = openModelNetwork(config, context.environment);
    const interrupted = new AbortController();
    const interrupt = () => interrupted.abort();
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    const line = new ProgressLine(context);
    try {
      const added = await addModel(models, source, {
        ...(options.as === undefined ? {} : { name: options.as }),
        from: config.modelsFrom,
        modelsRoot: new Models({ root: config.models }).root,
        forGpu: servesGpu(config, new Models({ root: config.models })),
        network,
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
        testKokoro: (voice) =>
          withEngine(context, 'the voice cannot speak', (engine) =>
            testVoice(engine, voice, interrupted.signal),
          ),
        testRecognizer: (folder, facts) => tryRecognizer(context, folder, facts, voices, interrupted.signal),
        testEmbedder: (folder, facts) => tryEmbedder(context, folder, facts, interrupted.signal),
        now: () => new Date(),
      });
      line.end();
      if (added === null) {
        context.out('not added');
        context.exit(1);
        return;
      }
      if (added === 'language model') return;
      report(context, added);
    } finally {
      line.end();
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      await network.gate.close();
    }
  });

function report(context: CliContext, added: AddedModel): void {
  const { name } = added;
  context.out(`${name}: ${printable(titleOf(added))}, added`);
  if (added.kind === 'embedding-model') {
    const { languages, passageMs, memoryBytes } = added.measured;
    context.out(`  found     the passages that answer questions, in ${languages.join(', ')}`);
    context.out(`  measured  ${passageMs} ms a passage, ${megabytes(memoryBytes)} of memory`);
    context.out(`  served    after you select it: npx trunkline models use ${name}`);
    return;
  }
  const { measured } = added;
  context.out(
    measured.heard === null && added.kind === 'piper-voice'
      ? `  heard     recognition does not support ${added.voice.language}, so the voice was not checked`
      : `  heard     "${printable(measured.heard ?? '')}"`,
  );
  context.out(
    `  measured  real-time factor ${measured.realTimeFactor}, ${megabytes(measured.memoryBytes)} of memory`,
  );
  if (added.kind === 'whisper') {
    context.out(`  served    after you select it: npx trunkline models use ${name}`);
    return;
  }
  context.out(`  voices    ${shortened(voiceIdsOf(added))}`);
  context.out('  served    now, by the servers of this data folder, without a restart');
}

export const verify = (context: CliContext): Promise<void> =>
  tried(context, async () => {
    const models = new AddedModels(context.config().data);
    for (const model of models.list) {
      const changed = await models.changedFiles(model);
      for (const file of changed)
        context.error(
          `error: ${file} is missing or does not match its pinned checksum; remove ${model.name} and add it again`,
        );
      if (changed.length > 0) context.exit(1);
      else context.out(`${model.name}: every file matches its pinned checksum`);
    }
  });

export const remove = (context: CliContext, name: string): Promise<void> =>
  tried(context, async () => {
    new AddedModels(context.config().data).remove(name);
    context.out(`${name} was removed; calls that use it keep it until they end`);
  });

export const use = (context: CliContext, name: string, options: UseOptions): Promise<void> =>
  tried(context, async () => {
    const models = new AddedModels(context.config().data);
    const voices = stockVoices(models);
    if (name === STOCK_RECOGNIZER || models.find(name)?.kind === 'whisper') {
      context.out(useRecognizer(models, name, options));
      return;
    }
    if (STOCK_EMBEDDERS[name] !== undefined || models.find(name)?.kind === 'embedding-model') {
      context.out(useEmbedder(models, name, options));
      return;
    }
    const voice = voices.find(name);
    if (voice === undefined && name !== 'default')
      throw new AddedModelError(
        `there is no voice, recognizer or embedding model ${name}: npx trunkline models list, GET /v1/voices`,
      );
    const { plan, device } = options;
    if (device !== undefined)
      throw new AddedModelError(
        '--device applies only to recognizers; a voice is selected by language and plan',
      );
    const spokenBy = (language: string) =>
      context.out(
        `the default voice of ${language}${plan === undefined ? '' : ` for the plan ${plan}`} is ${voices.defaultFor(language, plan)?.id ?? 'not set'}`,
      );
    if (voice === undefined) {
      const { language } = options;
      if (language === undefined)
        throw new AddedModelError('--language is required: a default is set for one language');
      models.useVoice(language, null, plan);
      spokenBy(language);
      return;
    }
    const language = options.language ?? voice.language;
    if (voice.language !== language)
      throw new AddedModelError(`${voice.id} speaks ${voice.language}, not ${language}`);
    models.useVoice(language, voice.id, plan);
    spokenBy(language);
  });

function useEmbedder(models: AddedModels, name: string, { language, plan, device }: UseOptions): string {
  if (plan !== undefined || device !== undefined)
    throw new AddedModelError(
      '--plan and --device do not apply to embedding models; they are selected by language',
    );
  const model = models.find(name);
  const known = model?.kind === 'embedding-model' ? model.measured.languages : (STOCK_EMBEDDERS[name] ?? []);
  const languages = language === undefined ? known : [language];
  for (const one of languages) models.useEmbedder(one, name);
  return `the embedding model of knowledge bases in ${languages.join(', ')} is ${name}; servers embed their documents anew in the background`;
}

function useRecognizer(models: AddedModels, name: string, { language, plan, device }: UseOptions): string {
  if (language !== undefined && !HEAR_LANGUAGES.some((one) => one === language))
    throw new AddedModelError(`--language must be one of ${HEAR_LANGUAGES.join(', ')}, not ${language}`);
  if (device !== undefined && device !== 'cpu' && device !== 'cuda')
    throw new AddedModelError(`--device must be cpu or cuda, not ${device}`);
  const model = models.find(name);
  if (model?.kind === 'whisper' && model.recognizer.englishOnly && language !== 'en')
    throw new AddedModelError(`${name} supports English only: set --language en`);
  models.useRecognition(
    withRule(models.recognitionRules, {
      ...(language === undefined ? {} : { language }),
      ...(plan === undefined ? {} : { plan }),
      ...(device === undefined ? {} : { device }),
      use: [name],
    }),
  );
  const where = [language, plan && `the plan ${plan}`, device].filter((one) => one !== undefined);
  return `the recognizer for ${where.length === 0 ? 'every language' : where.join(', ')} is ${name}`;
}

const stockVoices = (models: AddedModels): StockVoices => new StockVoices(undefined, addedVoices(models));

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
  context.out(printable(`${source}: ${found ?? 'detected from its content after the download'}`));
  if (offer.revision) context.out(`  revision  ${offer.revision}`);
  context.out(`  size      ${count}, ${size}`);
  context.out(
    `  licence   ${printable(offer.licence ?? 'not stated; make sure that you are allowed to use it')}`,
  );
  if (yes) return true;
  if (process.stdin.isTTY !== true)
    throw new AddedModelError('the licence cannot be confirmed interactively: pass --yes to accept it');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question('Add it? [y/N] ')).trim());
  } finally {
    lines.close();
  }
}

function tryVoice(
  context: CliContext,
  folder: string,
  voice: PiperFacts,
  signal: AbortSignal,
): Promise<Measured> {
  const measured = { realTimeFactor: 0, memoryBytes: 0, spoken: '', heard: null };
  const tried = stockVoice(voiceOfModel({ name: 'tried', voice, measured }, folder));
  return withEngine(context, 'the voice cannot speak', (engine) => testVoice(engine, tried.engine, signal));
}

function tryRecognizer(
  context: CliContext,
  folder: string,
  facts: WhisperFacts,
  voices: StockVoices,
  signal: AbortSignal,
): Promise<Measured> {
  const speaker = stockVoice(voices.resolve('joe_en_us')).engine;
  return withEngine(context, 'it cannot recognize', (engine) =>
    testRecognizer(engine, folder, facts, speaker, signal),
  );
}

const tryEmbedder = (
  context: CliContext,
  folder: string,
  facts: EmbedderFacts,
  signal: AbortSignal,
): Promise<EmbedderMeasured> =>
  withEngine(context, 'it cannot embed texts', (engine) => testEmbedder(engine, folder, facts, signal));

async function withEngine<Result>(
  context: CliContext,
  failure: string,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const config = context.config();
  const models = new Models({ root: config.models });
  const engine = openEngine({ ...config, maxLanes: 1 }, models, context.log(config));
  try {
    await engine.prepared();
    const failed = engine
      .kinds()
      .find(({ name, readiness }) => ['synthesize', 'transcribe'].includes(name) && readiness !== 'ready');
    if (failed)
      throw new AddedModelError(`the engine cannot test the model: ${failed.problem ?? failed.name}`);
    return await work(engine);
  } catch (error) {
    if (error instanceof AddedModelError) throw error;
    throw new AddedModelError(`${failure}: ${innermost(error as Error)}`);
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
    if (this.#over) process.stderr.write(`\r\x1b[K  received  ${text}`);
    else this.#context.error(`  received  ${text}`);
    this.#open = this.#over;
  }

  end(step?: string): void {
    if (this.#open) process.stderr.write('\r\x1b[K');
    this.#open = false;
    if (step) this.#context.error(`  ${step}`);
  }
}
