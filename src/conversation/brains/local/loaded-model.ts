import { availableParallelism } from 'node:os';
import { grammarSchema } from '../grammar-schema.ts';
import { contextTokensFor } from './context-length.ts';
import {
  importRuntime,
  type LlamaChatSession,
  type LlamaContext,
  type LlamaModel,
  type LlamaSequence,
} from './llama.ts';
import type { LocalModelFacts } from './protocol.ts';
import { modelFileProblem } from './runtime.ts';

/** One long prompt on a CPU delays the next words of others by this many tokens at a time. */
const PROCESSOR_BATCH = 128;
const SHARE_OF_MEMORY = 0.5;
const PROBE_TOKENS = { read: 48, written: 12 };

export interface SequenceSlot {
  readonly sequence: LlamaSequence;
  readonly chat: LlamaChatSession;
}

export interface LoadedModel {
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly facts: LocalModelFacts;
  place(): SequenceSlot;
  /**
   * Returns the grammar that enforces a schema; null where the runtime cannot express it and the prompt alone
   * describes it.
   */
  grammarOf(schema: object): Promise<object | null>;
  dispose(): Promise<void>;
}

export interface LoadOptions {
  readonly runtimePath: string;
  readonly modelPath: string;
  readonly calls: number;
}

export async function loadModel({ runtimePath, modelPath, calls }: LoadOptions): Promise<LoadedModel> {
  const problem = await modelFileProblem(modelPath);
  if (problem !== null) throw new Error(problem);
  const runtime = await importRuntime(runtimePath);
  const llama = await runtime.getLlama({ build: 'never', gpu: 'auto', logLevel: 'error' });
  const model = await llama.loadModel({ modelPath }).catch((error: unknown) => {
    throw new Error(
      `${modelPath} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  const context = await contextOf(model, calls);
  const rates = await measured(model, context.getSequence());
  return {
    model,
    context,
    facts: {
      contextTokens: context.contextSize,
      trainedTokens: model.trainContextSize ?? null,
      calls,
      contextBytes: context.memoryUsage.ram + context.memoryUsage.vram,
      ...rates,
    },
    dispose: () => llama.dispose(),
    grammarOf: async (schema) => {
      try {
        return await llama.createGrammarForJsonSchema(grammarSchema(schema));
      } catch {
        return null;
      }
    },
    place: () => {
      const sequence = context.getSequence();
      return { sequence, chat: new runtime.LlamaChat({ contextSequence: sequence }) };
    },
  };
}

async function contextOf(model: LlamaModel, calls: number): Promise<LlamaContext> {
  const onProcessor = model.gpuLayers === 0;
  // Half of the cores stay free for calls: threads that spin for a core that they do not get stall each other.
  const ideal = Math.max(1, Math.floor(availableParallelism() / 2));
  const max = onProcessor ? await plannedTokens(model, calls) : (model.trainContextSize ?? undefined);
  return model.createContext({
    sequences: calls,
    // On a GPU, the runtime determines how much of this fits into memory.
    contextSize: onProcessor ? max : { max },
    threads: { ideal, min: 1 },
    ...(onProcessor ? { batchSize: PROCESSOR_BATCH } : {}),
  });
}

/**
 * The memory of a context grows linearly with its tokens, so two estimates of the runtime give the fixed part and the
 * slope.
 */
async function plannedTokens(model: LlamaModel, calls: number): Promise<number> {
  const [short, long] = [1024, 5120];
  const bytesOf = async (contextSize: number): Promise<number> => {
    const options = { contextSize, modelGpuLayers: 0, sequences: calls, batchSize: PROCESSOR_BATCH };
    return (await model.fileInsights.estimateContextResourceRequirementsV2(options)).cpuRam;
  };
  const [less, more] = [await bytesOf(short), await bytesOf(long)];
  const tokenBytes = (more - less) / ((long - short) * calls);
  return contextTokensFor({
    trainedTokens: model.trainContextSize ?? null,
    calls,
    tokenBytes,
    fixedBytes: less - tokenBytes * short * calls,
    budgetBytes: SHARE_OF_MEMORY * process.availableMemory(),
  });
}

type Rates = Pick<LocalModelFacts, 'readTokensPerSecond' | 'writtenTokensPerSecond'>;

async function measured(model: LlamaModel, sequence: LlamaSequence): Promise<Rates> {
  const words = model.tokenize('The caller asks when the shop opens, and the agent says it. '.repeat(8));
  const read = words.slice(0, PROBE_TOKENS.read);
  // The first step allocates memory, so it is not measured.
  await sequence.evaluateWithoutGeneratingNewTokens(read.slice(0, 1));
  const readMs = await milliseconds(() => sequence.evaluateWithoutGeneratingNewTokens(read.slice(1)));
  let written = 0;
  const writtenMs = await milliseconds(async () => {
    for await (const _token of sequence.evaluate(words.slice(0, 1), { temperature: 0 }))
      if (++written === PROBE_TOKENS.written) break;
  });
  await sequence.dispose();
  return {
    readTokensPerSecond: (1_000 * (read.length - 1)) / readMs,
    writtenTokensPerSecond: (1_000 * written) / writtenMs,
  };
}

async function milliseconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
