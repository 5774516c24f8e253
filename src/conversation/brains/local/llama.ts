/** The parts of the runtime that are used. It is installed on demand, so that its own types are not here. */
import { pathToFileURL } from 'node:url';

export type Token = number & { readonly brand?: 'token' };

export interface Meter {
  readonly usedInputTokens: number;
  readonly usedOutputTokens: number;
}

export interface Sequence {
  readonly contextSize: number;
  readonly nextTokenIndex: number;
  readonly tokenMeter: Meter & { getState(): Meter };
  dispose(): Promise<void>;
  compareContextTokens(tokens: readonly Token[]): { firstDifferentIndex: number };
  eraseContextTokenRanges(ranges: readonly { start: number; end: number }[]): Promise<void>;
  evaluateWithoutGeneratingNewTokens(
    tokens: readonly Token[],
    options?: { evaluationPriority?: number },
  ): Promise<void>;
  evaluate(tokens: readonly Token[], options?: object): AsyncGenerator<Token, void, void>;
}

export interface FunctionCall {
  readonly functionName: string;
  readonly params: unknown;
}

export interface Chat {
  readonly chatWrapper: {
    generateContextState(options: {
      chatHistory: readonly object[];
      availableFunctions?: object;
      documentFunctionParams?: boolean;
    }): { contextText: { tokenize(tokenizer: unknown): Token[] } };
  };
  generateResponse(
    history: readonly object[],
    options: object,
  ): Promise<{ functionCalls?: readonly FunctionCall[]; metadata: { stopReason: string } }>;
}

export interface Context {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly memoryUsage: { readonly ram: number; readonly vram: number };
  getSequence(): Sequence;
}

export interface Model {
  readonly tokenizer: unknown;
  readonly trainContextSize: number | undefined;
  readonly gpuLayers: number;
  readonly fileInsights: {
    estimateContextResourceRequirementsV2(options: {
      contextSize: number;
      modelGpuLayers: number;
      sequences: number;
      batchSize?: number;
    }): Promise<{ cpuRam: number; gpuVram: number }>;
  };
  tokenize(text: string): Token[];
  createContext(options: object): Promise<Context>;
}

export interface Llama {
  createGrammarForJsonSchema(schema: object): Promise<object>;
  loadModel(options: { modelPath: string }): Promise<Model>;
  dispose(): Promise<void>;
}

export interface Runtime {
  getLlama(options: object): Promise<Llama>;
  LlamaChat: new (options: { contextSequence: Sequence }) => Chat;
}

export async function importRuntime(path: string): Promise<Runtime> {
  try {
    return (await import(pathToFileURL(path).href)) as Runtime;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('the runtime of local models is not installed: npx trunkline brain install');
  }
}
