import {
  type Brain,
  createBrainChain,
  createChatEndpoint,
  createLocalModel,
  modelFileProblem,
  runtimeFolder,
  runtimeInstalled,
  withMoment,
  withoutSecrets,
} from '../brain/index.ts';
import { type Engine, embedTexts } from '../engine/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config/index.ts';
import type { Log } from '../platform/log.ts';
import { createResponder } from '../responder/index.ts';
import type { Part } from '../server/index.ts';

type Closable = Brain & { close(): Promise<void> };

/** The language models that the operator configured, in the order in which they are asked. */
export function configuredBrains(
  config: Config,
  log: Log,
  patience: { readonly firstEventMs?: number } = {},
): Closable[] {
  const brains: Closable[] = [];
  if (config.brainUrl !== null) {
    brains.push(
      createChatEndpoint({
        url: config.brainUrl,
        model: config.brainModel ?? '',
        ...(config.brainKey === null ? {} : { key: config.brainKey }),
        ...patience,
      }),
    );
  }
  if (config.brainGguf !== null) {
    brains.push(
      createLocalModel({
        model: config.brainGguf,
        runtimeDir: runtimeFolder(config.data),
        ...patience,
        onFault: (reason) => log.error({ model: config.brainGguf, reason }, 'the local model failed'),
        onReady: () => log.info({ model: config.brainGguf }, 'the local model is loaded'),
      }),
    );
  }
  return brains.map(withoutSecrets);
}

/** With the built-in responder behind all others the line is never silent. */
export function openBrain(config: Config, log: Log, engine: Engine): Closable {
  const brains = configuredBrains(config, log);
  const responder = createResponder({
    embed: (texts, signal) => embedTexts(engine, texts, { live: true, signal }),
    personaIsForModel: brains.length > 0,
  });
  const chain = createBrainChain([...brains, responder], {
    onFault: (brain, error) =>
      log.warn({ brain, fault: error.fault, reason: error.message }, 'a brain failed'),
  });
  return {
    ...withMoment(chain, systemClock, config.timeZone ?? undefined),
    close: async () => {
      for (const brain of brains) await brain.close();
    },
  };
}

/** Never required: the built-in responder answers where nothing else does. */
export async function brainParts(config: Config): Promise<Part[]> {
  const order = [
    ...(config.brainUrl === null ? [] : [`${config.brainModel} (BRAIN_URL)`]),
    ...(config.brainGguf === null ? [] : ['local model (BRAIN_GGUF)']),
    'built-in responder',
  ];
  const parts: Part[] = [{ name: 'brain', ready: true, required: false, detail: order.join(', then ') }];
  if (config.brainGguf === null) return parts;
  const problem = await localModelProblem(config.brainGguf, runtimeFolder(config.data));
  parts.push({
    name: 'brain local model',
    ready: problem === null,
    required: false,
    detail: problem ?? config.brainGguf,
  });
  return parts;
}

async function localModelProblem(model: string, runtimeDir: string): Promise<string | null> {
  const problem = await modelFileProblem(model);
  if (problem !== null) return problem;
  return (await runtimeInstalled(runtimeDir))
    ? null
    : 'its runtime is not installed: npx trunkline brain install';
}
