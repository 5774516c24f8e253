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
  ENCODER_TEST_VOICES,
  type EncoderMeasured,
  type Measured,
  megabytes,
  type Offer,
  openModelNetwork,
  type PiperFacts,
  type ServingRule,
  STOCK_EMBEDDERS,
  STOCK_ENCODER,
  STOCK_PARTIALS,
  STOCK_RECOGNIZER,
  testEmbedder,
  testEncoder,
  testMoonshine,
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
    const interrupt = () =>
      interrupted.abort(new AddedModelError('interrupted: run the same command again to continue'));
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
        testMoonshine: (folder) =>
          withEngine(context, 'it cannot recognize', (engine) =>
            testMoonshine(engine, folder, speakerOf(voices), interrupted.signal),
          ),
        testEmbedder: (folder, facts) => tryEmbedder(context, folder, facts, interrupted.signal),
        testEncoder: (folder) => tryEncoder(context, folder, voices, interrupted.signal),
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
  if (added.kind === 'speaker-encoder') {
    const { bounds, right, realTimeFactor, memoryBytes } = added.measured;
    context.out(
      `  told      ${ENCODER_TEST_VOICES.length} voices apart, ${shareOf(right)} of the pairs rightly`,
    );
    context.out(
      `  bounds    one speaker from a cosine of ${bounds.same} on, ${bounds.sameNarrow} by telephone`,
    );
    context.out(`  measured  real-time factor ${realTimeFactor}, ${megabytes(memoryBytes)} of memory`);
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
  if (added.kind === 'whisper' || added.kind === 'moonshine') {
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
    models.exclusively(() => select(context, models, name, options));
  });

function select(context: CliContext, models: AddedModels, name: string, options: UseOptions): void {
  const voices = stockVoices(models);
  if (name === STOCK_RECOGNIZER || models.find(name)?.kind === 'whisper') {
    context.out(useRecognizer(models, name, options));
    return;
  }
  if (name === STOCK_PARTIALS || models.find(name)?.kind === 'moonshine') {
    context.out(usePartials(models, name, options));
    return;
  }
  if (STOCK_EMBEDDERS[name] !== undefined || models.find(name)?.kind === 'embedding-model') {
    context.out(useEmbedder(models, name, options));
    return;
  }
  if (name === STOCK_ENCODER || models.find(name)?.kind === 'speaker-encoder') {
    context.out(useEncoder(models, name, options));
    return;
  }
  const voice = voices.find(name);
  if (voice === undefined && name !== 'default')
    throw new AddedModelError(
      `there is no voice, recognizer, Moonshine, embedding model or speaker encoder ${name}: npx trunkline models list, GET /v1/voices`,
    );
  const language = options.language ?? voice?.language;
  if (language === undefined)
    throw new AddedModelError('--language is required: a default is set for one language');
  if (voice !== undefined && voice.language !== language)
    throw new AddedModelError(`${voice.id} speaks ${voice.language}, not ${language}`);
  const why = voice === undefined ? null : voices.whyNotDefault(voice);
  if (why !== null) throw new AddedModelError(why);
  const rule = { ...conditionsOf({ ...options, language }), use: voice === undefined ? [] : [voice.id] };
  models.useVoices(withRule(models.voiceRules, rule).filter(({ use }) => use.length > 0));
  const { plan, device } = options;
  if (device !== undefined) voices.servesOn(() => device);
  const where = [language, plan && `for the plan ${plan}`, device && `on ${device}`];
  context.out(
    `the default voice of ${where.filter(Boolean).join(' ')} is ${voices.defaultFor(language, plan)?.id ?? 'not set'}`,
  );
}

function conditionsOf({ language, plan, device }: UseOptions): Omit<ServingRule, 'use'> {
  if (device !== undefined && device !== 'cpu' && device !== 'cuda')
    throw new AddedModelError(`--device must be cpu or cuda, not ${device}`);
  return {
    ...(language === undefined ? {} : { language }),
    ...(plan === undefined ? {} : { plan }),
    ...(device === undefined ? {} : { device }),
  };
}

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

function useEncoder(models: AddedModels, name: string, options: UseOptions): string {
  if (Object.values(options).some((one) => one !== undefined))
    throw new AddedModelError(
      '--language, --plan and --device do not apply to speaker encoders; one serves all recordings',
    );
  models.useEncoder(name === STOCK_ENCODER ? null : name);
  return `the speaker encoder of jobs, uploads and dubs is ${name}`;
}

function useRecognizer(models: AddedModels, name: string, options: UseOptions): string {
  const { language, plan, device } = options;
  if (language !== undefined && !HEAR_LANGUAGES.some((one) => one === language))
    throw new AddedModelError(`--language must be one of ${HEAR_LANGUAGES.join(', ')}, not ${language}`);
  const model = models.find(name);
  if (model?.kind === 'whisper' && model.recognizer.englishOnly && language !== 'en')
    throw new AddedModelError(`${name} supports English only: set --language en`);
  models.useRecognition(withRule(models.recognitionRules, { ...conditionsOf(options), use: [name] }));
  const where = [language, plan && `the plan ${plan}`, device].filter((one) => one !== undefined);
  return `the recognizer for ${where.length === 0 ? 'every language' : where.join(', ')} is ${name}`;
}

function usePartials(models: AddedModels, name: string, { language, plan, device }: UseOptions): string {
  if (language !== undefined && language !== 'en')
    throw new AddedModelError('a Moonshine makes the partials of English: leave --language out');
  const rule = { ...conditionsOf({ plan, device }), use: [name] };
  models.usePartials(withRule(models.partialRules, rule));
  const where = [plan && `the plan ${plan}`, device].filter((one) => one !== undefined);
  return `the partials of English${where.length === 0 ? '' : ` for ${where.join(', ')}`} are made by ${name}`;
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
  return withEngine(context, 'it cannot recognize', (engine) =>
    testRecognizer(engine, folder, facts, speakerOf(voices), signal),
  );
}

/** The voice that speaks the sentence which a recognizer has to understand. */
const speakerOf = (voices: StockVoices) => stockVoice(voices.resolve('joe_en_us')).engine;

const tryEmbedder = (
  context: CliContext,
  folder: string,
  facts: EmbedderFacts,
  signal: AbortSignal,
): Promise<EmbedderMeasured> =>
  withEngine(context, 'it cannot embed texts', (engine) => testEmbedder(engine, folder, facts, signal));

function tryEncoder(
  context: CliContext,
  folder: string,
  voices: StockVoices,
  signal: AbortSignal,
): Promise<EncoderMeasured> {
  const speakers = ENCODER_TEST_VOICES.map((id) => stockVoice(voices.resolve(id)).engine);
  return withEngine(context, 'it cannot tell voices', (engine) =>
    testEncoder(engine, folder, speakers, signal),
  );
}

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
      .find(
        ({ name, readiness }) =>
          ['synthesize', 'transcribe', 'speakers'].includes(name) && readiness !== 'ready',
      );
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

const shareOf = (right: number): string => `${Math.round(1000 * right) / 10} %`;

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
