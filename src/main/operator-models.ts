import { type ModelView, type OperatorModels, RoutesError } from '../edge/surfaces/models/index.ts';
import type { Engine } from '../media/engine/index.ts';
import {
  type AddedModel,
  AddedModelError,
  addModel,
  ENCODER_TEST_VOICES,
  knowsLanguage,
  languagesOf,
  openModelNetwork,
  STOCK_ENCODER,
  STOCK_PARTIALS,
  STOCK_RECOGNIZER,
  testEmbedder,
  testEncoder,
  testMoonshine,
  testRecognizer,
  testVoice,
  titleOf,
} from '../speech/added-models/index.ts';
import { stockVoice, voiceOfModel } from '../speech/voices/index.ts';
import { knownBrains } from './brain-rules.ts';
import { servesGpu } from './engine.ts';
import type { CoreServices } from './main.ts';

const SPEAKER = 'joe_en_us';
/** Additions that have ended are shown until so many others have. */
const MOST_SHOWN = 20;

interface Adding {
  readonly source: string;
  readonly name: string | null;
  state: 'adding' | 'failed';
  detail: string;
}

/** One model is added at a time, because each takes the memory of its weights while it is converted. */
export function operatorModels(
  { added, models, voices, config, log }: CoreServices,
  engine: Engine,
  environment: NodeJS.ProcessEnv,
): OperatorModels {
  const additions: Adding[] = [];
  const stopping = new AbortController();
  let queue: Promise<void> = Promise.resolve();

  async function work(adding: Adding): Promise<void> {
    try {
      stopping.signal.throwIfAborted();
      await fetchAndTry(adding);
      additions.splice(additions.indexOf(adding), 1);
    } catch (error) {
      if (!(error instanceof AddedModelError)) log.error({ err: error }, 'a model could not be added');
      adding.state = 'failed';
      adding.detail = (error as Error).message;
      const failed = additions.filter(({ state }) => state === 'failed');
      if (failed.length > MOST_SHOWN) additions.splice(additions.indexOf(failed[0] as Adding), 1);
    }
  }

  async function fetchAndTry(adding: Adding): Promise<void> {
    const network = openModelNetwork(config, environment);
    try {
      await addModel(added, adding.source, {
        ...(adding.name === null ? {} : { name: adding.name }),
        from: config.modelsFrom,
        modelsRoot: models.root,
        forGpu: servesGpu(config, models),
        network,
        signal: stopping.signal,
        isFree: (id) => voices.isFree(id),
        agree: async () => true,
        progress: (bytes) => {
          adding.detail = `${bytes} bytes received`;
        },
        step: (line) => {
          adding.detail = line;
        },
        languageModel: async () => {
          throw new AddedModelError('a language model must be added with npx trunkline brain add');
        },
        test: (folder, voice) => {
          const measured = { realTimeFactor: 0, memoryBytes: 0, spoken: '', heard: null };
          const tried = stockVoice(voiceOfModel({ name: 'tried', voice, measured }, folder));
          return testVoice(engine, tried.engine, stopping.signal);
        },
        testKokoro: (voice) => testVoice(engine, voice, stopping.signal),
        testRecognizer: (folder, facts) =>
          testRecognizer(engine, folder, facts, stockVoice(voices.resolve(SPEAKER)).engine, stopping.signal),
        testMoonshine: (folder) =>
          testMoonshine(engine, folder, stockVoice(voices.resolve(SPEAKER)).engine, stopping.signal),
        testEmbedder: (folder, facts) => testEmbedder(engine, folder, facts, stopping.signal),
        testEncoder: (folder) => {
          const speakers = ENCODER_TEST_VOICES.map((id) => stockVoice(voices.resolve(id)).engine);
          return testEncoder(engine, folder, speakers, stopping.signal);
        },
        now: () => new Date(),
      });
    } finally {
      await network.gate.close();
    }
  }

  return {
    licences: () => [
      ...models.list.map(({ id, title, version, licence, origin }) => ({
        id,
        object: 'model.licence' as const,
        title,
        version,
        licence,
        origin,
        built_in: true,
        ready: models.status(id).ready,
      })),
      ...added.list.map((model) => ({
        id: model.name,
        object: 'model.licence' as const,
        title: titleOf(model),
        version: model.revision,
        licence: model.licence,
        origin: model.source,
        built_in: false,
        ready: added.status(model).ready,
      })),
    ],
    list: () => [
      ...added.list.map((model) => viewOf(model, added.status(model))),
      ...additions.map(addingView),
    ],
    add(source, name) {
      const adding: Adding = { source, name, state: 'adding', detail: 'waiting' };
      additions.push(adding);
      queue = queue.then(() => work(adding));
      return addingView(adding);
    },
    remove(name) {
      const at = additions.findIndex((one) => one.name === name && one.state === 'failed');
      if (at >= 0) additions.splice(at, 1);
      if (added.find(name) === undefined) return at >= 0;
      added.remove(name);
      return true;
    },
    get routes() {
      return {
        recognition: added.recognitionRules.map((rule) => ({
          ...rule,
          use: [...rule.use],
        })) as OperatorModels['routes']['recognition'],
        partials: added.partialRules.map((rule) => ({
          ...rule,
          use: [...rule.use],
        })) as OperatorModels['routes']['partials'],
        voice: added.voiceRules.map((rule) => ({
          ...rule,
          use: [...rule.use],
        })) as OperatorModels['routes']['voice'],
        brain: added.brainRules.map((rule) => ({
          ...rule,
          use: [...rule.use],
        })) as OperatorModels['routes']['brain'],
        embedding: added.chosenEmbedders.map(({ language, model }) => ({
          language,
          use: [model],
        })) as OperatorModels['routes']['embedding'],
        speakers: added.chosenEncoder === undefined ? [] : [{ use: [added.chosenEncoder] }],
      };
    },
    route({ recognition, partials, voice, brain, embedding, speakers }) {
      for (const [at, { language, use }] of (recognition ?? []).entries())
        for (const name of use) {
          const model = added.find(name);
          if (name !== STOCK_RECOGNIZER && model?.kind !== 'whisper')
            throw new RoutesError(`recognition.${at}.use`, `There is no recognizer ${name}.`);
          if (model?.kind === 'whisper' && !knowsLanguage(model, { language }))
            throw new RoutesError(
              `recognition.${at}.use`,
              `${name} supports English only; its rule must have the language en.`,
            );
        }
      for (const [at, { use }] of (partials ?? []).entries()) {
        const unknown = use.find((name) => name !== STOCK_PARTIALS && added.find(name)?.kind !== 'moonshine');
        if (unknown !== undefined)
          throw new RoutesError(`partials.${at}.use`, `There is no Moonshine ${unknown}.`);
      }
      for (const [at, { language, use }] of (voice ?? []).entries()) {
        const found = voices.find(use[0] as string);
        if (found === undefined) throw new RoutesError(`voice.${at}.use`, `There is no voice ${use[0]}.`);
        const why = voices.whyNotDefault(found);
        if (why !== null) throw new RoutesError(`voice.${at}.use`, `${why}.`);
        if (found.language !== language)
          throw new RoutesError(
            `voice.${at}.language`,
            `${found.id} speaks ${found.language}, not ${language}.`,
          );
      }
      for (const [at, { language, use }] of (embedding ?? []).entries()) {
        const why = added.whyNotEmbedder(use[0] as string, language);
        if (why !== null) throw new RoutesError(`embedding.${at}.use`, why);
      }
      const encoder = speakers?.[0]?.use[0] ?? STOCK_ENCODER;
      if (encoder !== STOCK_ENCODER && added.find(encoder)?.kind !== 'speaker-encoder')
        throw new RoutesError('speakers.0.use', `There is no speaker encoder ${encoder}.`);
      const brains = knownBrains(config);
      for (const [at, { use }] of (brain ?? []).entries()) {
        const unknown = use.find((name) => !brains.includes(name));
        if (unknown !== undefined)
          throw new RoutesError(
            `brain.${at}.use`,
            `There is no language model ${unknown}. There are ${brains.join(', ')}.`,
          );
      }
      if (recognition !== undefined) added.useRecognition(recognition);
      if (partials !== undefined) added.usePartials(partials);
      if (brain !== undefined) added.useBrains(brain);
      if (embedding !== undefined) {
        for (const { language } of added.chosenEmbedders) added.useEmbedder(language, null);
        for (const { language, use } of embedding) added.useEmbedder(language, use[0] as string);
      }
      if (speakers !== undefined) added.useEncoder(encoder === STOCK_ENCODER ? null : encoder);
      if (voice !== undefined) added.useVoices(voice);
    },
    async stop() {
      stopping.abort(new AddedModelError('the server is shutting down: add the model again afterwards'));
      await queue;
    },
  };
}

function viewOf(model: AddedModel, status: { readonly ready: boolean; readonly detail?: string }): ModelView {
  return {
    id: model.name,
    object: 'model',
    kind: model.kind,
    state: status.ready ? 'ready' : 'damaged',
    title: titleOf(model),
    source: model.source,
    revision: model.revision,
    licence: model.licence,
    languages: languagesOf(model),
    bytes: model.files.reduce((sum, { bytes }) => sum + bytes, 0),
    real_time_factor: model.kind === 'embedding-model' ? null : model.measured.realTimeFactor,
    passage_ms: model.kind === 'embedding-model' ? model.measured.passageMs : null,
    memory_bytes: model.measured.memoryBytes,
    detail: status.detail ?? null,
  };
}

const addingView = ({ source, name, state, detail }: Adding): ModelView => ({
  id: name ?? source,
  object: 'model',
  kind: 'unknown',
  state,
  title: null,
  source,
  revision: null,
  licence: null,
  languages: [],
  bytes: null,
  real_time_factor: null,
  passage_ms: null,
  memory_bytes: null,
  detail,
});
