import { afterAll, beforeAll } from 'vitest';
import { type Brain, createLocalModel, type LocalModel } from '../../../../src/conversation/brains/index.ts';
import { buildChild, type ChildProgram } from '../../../child-program.ts';
import { isAbsent, model, runtimeDir } from './real-model.ts';

export interface Request {
  readonly brain: Brain;
  readonly answers: readonly string[];
  readonly faults: readonly string[];
}

/** A file of tests shares one model, in its own process as the product runs it. */
export function askedModel(options: { readonly maxTokens: number }): () => Request {
  const answers: string[] = [];
  const faults: string[] = [];
  let program: ChildProgram | undefined;
  let local: LocalModel | undefined;
  beforeAll(async () => {
    if (isAbsent) return;
    program = await buildChild('src/conversation/brains/local/worker.ts');
    local = createLocalModel({
      model,
      runtimeDir,
      worker: program.file,
      calls: 2,
      firstEventMs: 60_000,
      leastTokensPerSecond: 0,
      onFault: (message) => faults.push(message),
      ...options,
    });
  }, 120_000);
  afterAll(async () => {
    await local?.close();
    program?.remove();
  });
  return () => ({ brain: listened(local!, answers), answers, faults });
}

const listened = (brain: Brain, answers: string[]): Brain => ({
  name: brain.name,
  async *respond(request, signal) {
    let text = '';
    for await (const event of brain.respond(request, signal)) {
      if (event.kind === 'text') text += event.text;
      yield event;
    }
    answers.push(text);
  },
});
