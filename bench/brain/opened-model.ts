import { existsSync } from 'node:fs';
import {
  createLocalModel,
  type LocalModel,
  type LocalModelFacts,
  type LocalModelOptions,
  runtimeFolder,
} from '../../src/conversation/brains/index.ts';
import { runtimeEntry } from '../../src/conversation/brains/local/runtime.ts';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';

const DEADLINE_MS = 600_000;

const folder = process.env.TRUNKLINE_TEST_LLAMA ?? runtimeFolder(loadConfig(process.env).data);

/** Opens a language model that set-up can download, for two calls and without the deadlines of a call. */
export async function openedModel(
  id: string,
  options: Pick<LocalModelOptions, 'maxTokens' | 'leastTokensPerSecond'>,
): Promise<{ brain: LocalModel; facts: LocalModelFacts }> {
  const model = new Models().wholeFiles()[`${id}/model.gguf`];
  if (model === undefined || !existsSync(runtimeEntry(folder)))
    throw new Error(`it needs the model and its runtime: npx trunkline brain install --model ${id}`);
  return new Promise((resolve, reject) => {
    const brain = createLocalModel({
      ...options,
      model,
      runtimeDir: folder,
      calls: 2,
      firstEventMs: DEADLINE_MS,
      stallMs: DEADLINE_MS,
      onReady: (facts) => resolve({ brain, facts }),
      onFault: (reason) => reject(new Error(reason)),
    });
    brain.prepare?.('', 'en');
  });
}
