import {
  AddedBrains,
  createLocalModel,
  type LocalModel,
  type LocalModelFacts,
  type LocalModelOptions,
  runtimeFolder,
} from '../conversation/brains/index.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';

type LocalModelTimeouts = Pick<LocalModelOptions, 'firstEventMs' | 'onReady' | 'onFault'>;

export function openLocalModel(
  config: Config,
  log: Log,
  model: string,
  more: LocalModelTimeouts = {},
): LocalModel {
  return createLocalModel({
    model,
    runtimeDir: runtimeFolder(config.data),
    calls: config.brainGgufCalls,
    leastTokensPerSecond: config.brainGgufTokensPerSecond,
    onFault: (reason) => log.error({ model, reason }, 'the local model failed'),
    onReady: (facts) => log.info({ model, ...logged(facts) }, 'the local model is loaded'),
    ...more,
  });
}

const logged = (facts: LocalModelFacts): LocalModelFacts => ({
  ...facts,
  readTokensPerSecond: Math.round(facts.readTokensPerSecond),
  writtenTokensPerSecond: Math.round(facts.writtenTokensPerSecond),
});

export const defaultGguf = (config: Config): string | null =>
  config.brainGguf ?? new AddedBrains(config.data).list().find(({ isDefault }) => isDefault)?.path ?? null;

export const addedNames = (config: Config): string[] =>
  new AddedBrains(config.data).list().map(({ name }) => name);
