import { type Brain, BrainError, installRuntime, RUNTIME_VERSION, runtimeFolder } from '../brain/index.ts';
import { brainParts, configuredBrains } from '../main.ts';
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

/** A large model may take long to load; a call waits less. */
const PATIENCE_MS = 60_000;

export async function check(context: CliContext): Promise<void> {
  const config = context.config();
  const brains = configuredBrains(config, context.log(config), { firstEventMs: PATIENCE_MS });
  if (brains.length === 0) {
    context.out(
      'no language model is configured (BRAIN_URL, BRAIN_GGUF, npx trunkline brain add): the built-in responder answers',
    );
  }
  try {
    for (const brain of brains) {
      const { works, line } = await tried(brain);
      context.out(line);
      if (!works) context.exit(1);
    }
  } finally {
    for (const brain of brains) await brain.close();
  }
}

async function tried(brain: Brain): Promise<{ works: boolean; line: string }> {
  const question = {
    language: 'en' as const,
    persona: '',
    messages: [{ role: 'user' as const, content: 'Say hello in one short sentence.' }],
    tools: [],
    passages: [],
  };
  const began = performance.now();
  let firstMs: number | null = null;
  let text = '';
  try {
    for await (const event of brain.respond(question, AbortSignal.timeout(2 * PATIENCE_MS))) {
      if (event.kind !== 'thinking') firstMs ??= Math.round(performance.now() - began);
      if (event.kind === 'text') text += event.text;
    }
  } catch (error) {
    const why = error instanceof BrainError ? `${error.fault}: ${error.message}` : String(error);
    return { works: false, line: `FAILS  ${brain.name}: ${why}` };
  }
  if (firstMs === null) return { works: false, line: `FAILS  ${brain.name}: it said nothing` };
  return { works: true, line: `ok     ${brain.name}: first word after ${firstMs} ms: ${text.trim()}` };
}
