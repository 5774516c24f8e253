import {
  AddedBrains,
  type Brain,
  type BrainError,
  createBrainChain,
  createChatEndpoint,
  createNamedBrains,
  createRealtimeBrain,
  modelFileProblem,
  runtimeFolder,
  runtimeInstalled,
  withCurrentTime,
  withRedactedSecrets,
} from '../conversation/brains/index.ts';
import { createResponder } from '../conversation/responder/index.ts';
import type { ComponentHealth } from '../edge/server/index.ts';
import { systemClock } from '../foundation/platform/clock.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';
import { type Engine, embedTexts } from '../media/engine/index.ts';
import type { ServingRule } from '../speech/added-models/index.ts';
import { BrainFaults } from './brain-faults.ts';
import { chooseBrain, DEFAULT_BRAIN } from './brain-rules.ts';
import { type BrainEntry, brainEntries, brainHeaders } from './brain-settings.ts';
import { defaultGguf, openLocalModel } from './local-brains.ts';
import { providerHostOf } from './voice-providers.ts';

type Closable = Brain & { close(): Promise<void> };
const MICROS = 1_000_000;

type BrainTimeouts = { readonly firstEventMs?: number };

function defaultModel(config: Config, log: Log, timeouts: BrainTimeouts): Closable | null {
  const path = defaultGguf(config);
  return path === null ? null : openLocalModel(config, log, path, timeouts);
}

export function configuredBrains(
  config: Config,
  log: Log,
  timeouts: BrainTimeouts = {},
  local: Closable | null = defaultModel(config, log, timeouts),
): Closable[] {
  const brains: Closable[] = [];
  if (config.brainUrl !== null) {
    brains.push(
      createChatEndpoint({
        url: config.brainUrl,
        model: config.brainModel ?? '',
        headers: brainHeaders(config),
        ...(config.brainKey === null ? {} : { key: config.brainKey }),
        ...timeouts,
      }),
    );
  }
  if (local !== null) brains.push(local);
  return brains.map(withRedactedSecrets);
}

export const listedBrains = (config: Config, timeouts: BrainTimeouts): Closable[] =>
  brainEntries(config).map((entry) => endpointOf(entry, timeouts));

function endpointOf(entry: BrainEntry, timeouts: BrainTimeouts = {}): Closable {
  const { name, url, model, key, headers, temperature, reasoning_effort: reasoningEffort } = entry;
  const set = <T>(field: string, value: T | undefined) => (value === undefined ? {} : { [field]: value });
  const shared = {
    name,
    url,
    model,
    ...set('key', key),
    ...set('headers', headers),
    ...set('firstEventMs', entry.first_token_ms),
    ...set('stallMs', entry.between_tokens_ms),
    ...set('answerMs', entry.whole_ms),
    ...set('maxTokens', entry.max_tokens),
    ...timeouts,
  };
  return withRedactedSecrets(
    entry.kind === 'realtime'
      ? createRealtimeBrain({
          ...shared,
          ...set('voice', entry.voice),
          ...set('firstAudioMs', entry.first_audio_ms),
          ...set('betweenAudioMs', entry.between_audio_ms),
          microsPerHour: (entry.usd_per_hour ?? 0) * MICROS,
          microsPerSpokenHour: (entry.usd_per_spoken_hour ?? 0) * MICROS,
        })
      : createChatEndpoint({
          ...shared,
          ...set('temperature', temperature),
          ...set('reasoningEffort', reasoningEffort),
          ...set('connectMs', entry.connect_ms),
        }),
  );
}

export interface OpenedBrain extends Closable {
  readonly model: Brain | null;
  modelOf(name: string | null): Brain | null;
  readonly faults: BrainFaults;
}

/** The built-in responder is the last of the chain, so that an agent always answers. */
export function openBrain(
  config: Config,
  log: Log,
  engine: Engine,
  rules: () => readonly ServingRule[] = () => [],
): OpenedBrain {
  const added = new AddedBrains(config.data)
    .list()
    .map(({ name, path }) => ({ name, path, brain: openLocalModel(config, log, path) }));
  const path = defaultGguf(config);
  const local = added.find((one) => one.path === path)?.brain ?? defaultModel(config, log, {});
  const brains = configuredBrains(config, log, {}, local);
  const responds = (personaIsForModel: boolean) =>
    createResponder({
      embed: (texts, signal) => embedTexts(engine, texts, { live: true, signal }),
      personaIsForModel,
    });
  const responder = responds(true);
  const faults = new BrainFaults(systemClock);
  const onFault = (brain: string, error: BrainError) => {
    faults.note(brain, error);
    log.warn({ brain, fault: error.fault, reason: error.message }, 'a brain failed');
  };
  const entries = brainEntries(config);
  const listed = new Map(entries.map((entry) => [entry.name, endpointOf(entry)]));
  const asked = entries.map(({ name, fallback }) => {
    const others = fallback === undefined ? [] : [listed.get(fallback) as Brain];
    return [name, [listed.get(name) as Brain, ...others]] as const;
  });
  asked.push(...added.map(({ name, brain }) => [name, [withRedactedSecrets(brain)]] as const));
  const chainOf = (links: readonly Brain[]) => createBrainChain(links, { onFault });
  const named = new Map(asked.map(([name, links]) => [name, chainOf([...links, responder])]));
  const models = new Map(asked.map(([name, links]) => [name, chainOf(links)]));
  const isKnown = (name: string) => name === DEFAULT_BRAIN || named.has(name);
  const chosen = (need: Parameters<typeof chooseBrain>[2]) =>
    chooseBrain(rules(), isKnown, { ...need, device: engine.stats().device });
  const chain = createNamedBrains(
    named.get(DEFAULT_BRAIN) ?? chainOf([...brains, brains.length > 0 ? responder : responds(false)]),
    named,
    chosen,
  );
  const model = models.get(DEFAULT_BRAIN) ?? (brains.length === 0 ? null : chainOf(brains));
  return {
    ...withCurrentTime(chain, systemClock, config.timeZone ?? undefined),
    faults,
    model,
    modelOf: (name) => {
      const need = name === null ? {} : { brain: name };
      return models.get(chosen(need) ?? DEFAULT_BRAIN) ?? model;
    },
    close: async () => {
      for (const brain of [...brains, ...listed.values(), ...added.map((one) => one.brain)])
        await brain.close();
    },
  };
}

/** These parts are never required, because the built-in responder answers in any case. */
export async function brainParts(config: Config): Promise<ComponentHealth[]> {
  const gguf = defaultGguf(config);
  const order = [
    ...(config.brainUrl === null
      ? []
      : [`${config.brainModel} (BRAIN_URL, ${providerHostOf(config.brainUrl)})`]),
    ...(gguf === null ? [] : [`local model (${config.brainGguf === null ? 'added' : 'BRAIN_GGUF'})`]),
    'built-in responder',
  ];
  const parts: ComponentHealth[] = [
    { name: 'brain', ready: true, required: false, detail: order.join(', then ') },
  ];
  for (const { name, kind, url, voice } of brainEntries(config))
    parts.push({
      name: `brain ${name}`,
      ready: true,
      required: false,
      detail:
        kind === 'realtime'
          ? `realtime: caller audio is sent to ${providerHostOf(url)}${voice === undefined ? '' : '; answers have its own voice'}`
          : `what is said in calls is sent to ${providerHostOf(url)}`,
    });
  if (gguf === null) return parts;
  const problem = await localModelProblem(gguf, runtimeFolder(config.data));
  parts.push({
    name: 'brain local model',
    ready: problem === null,
    required: false,
    detail: problem ?? gguf,
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
