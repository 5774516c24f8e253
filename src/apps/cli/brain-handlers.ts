import { installRuntime, RUNTIME_VERSION, runtimeFolder } from '../../conversation/brains/index.ts';
import { brainParts, configuredBrains, listedBrains } from '../../main/main.ts';
import { BRAIN_TIMEOUT_MS, checkBrain } from './brain-check.ts';
import type { CliContext } from './command.ts';

export async function install(context: CliContext, gpu: boolean): Promise<void> {
  const config = context.config();
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
  const parts = await brainParts(config);
  if (parts.length === 1) {
    context.out('now add your model: npx trunkline brain add /path/to/model.gguf');
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
