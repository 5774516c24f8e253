import {
  AddedBrains,
  installRuntime,
  RUNTIME_VERSION,
  runtimeFolder,
} from '../../conversation/brains/index.ts';
import { Models } from '../../foundation/platform/models/index.ts';
import { brainParts, configuredBrains, listedBrains } from '../../main/main.ts';
import type { InstallOptions } from './brain.ts';
import { add } from './brain-add-handlers.ts';
import { BRAIN_TIMEOUT_MS, checkBrain } from './brain-check.ts';
import type { CliContext } from './command.ts';
import { runFetcher } from './models-handlers.ts';

export async function install(context: CliContext, { gpu = false, model }: InstallOptions): Promise<void> {
  const config = context.config();
  const models = new Models({ root: config.models });
  const known = models.list.filter(({ work }) => work === 'language model').map(({ id }) => id);
  if (model !== undefined && !known.includes(model)) {
    context.error(`error: there is no language model ${model} to download; there are: ${known.join(', ')}`);
    context.exit(1);
    return;
  }
  const folder = runtimeFolder(config.data);
  context.out(`installing node-llama-cpp ${RUNTIME_VERSION} into ${folder}`);
  try {
    await installRuntime(folder, { gpu });
  } catch (error) {
    context.error(`not installed: ${(error as Error).message}`);
    context.exit(1);
    return;
  }
  context.out('installed');
  if (model !== undefined) {
    if (new AddedBrains(config.data).list().some(({ name }) => name === model))
      context.out(`${model} was added before`);
    else if ((await runFetcher(context, { only: model }, [])) === 0)
      await add(context, models.path(`${model}/model.gguf`), { name: model });
    return;
  }
  const parts = await brainParts(config);
  if (parts.length === 1) {
    context.out(
      `now add your model: npx trunkline brain add /path/to/model.gguf, or download one: npx trunkline brain install --model ${known.at(-1)}`,
    );
    return;
  }
  for (const { name, ready, detail } of parts) {
    context.out(`${ready ? 'ok   ' : 'off  '}  ${name}: ${detail}`);
  }
}

export async function check(context: CliContext): Promise<void> {
  const config = context.config();
  const timeouts = { firstEventMs: BRAIN_TIMEOUT_MS };
  const brains = [
    ...configuredBrains(config, context.log(config), timeouts),
    ...listedBrains(config, timeouts),
  ];
  if (brains.length === 0) {
    context.out(
      'no language model is configured (BRAIN_URL, BRAINS, BRAIN_GGUF, npx trunkline brain add); the built-in responder answers',
    );
  }
  try {
    for (const brain of brains) {
      const { works, lines } = await checkBrain(brain);
      for (const line of lines) context.out(line);
      if (!works) context.exit(1);
    }
  } finally {
    for (const brain of brains) await brain.close();
  }
}
