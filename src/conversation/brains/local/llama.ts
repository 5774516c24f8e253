/** The runtime is installed on demand, so its types are declared here. */
import { pathToFileURL } from 'node:url';

export type LlamaToken = number & { readonly brand?: 'token' };

export interface TokenMeter {
  readonly usedInputTokens: number;
  readonly usedOutputTokens: number;
}

export interface LlamaSequence {
  readonly contextSize: number;
  readonly nextTokenIndex: number;
  readonly tokenMeter: TokenMeter & { getState(): TokenMeter };
  dispose(): Promise<void>;
  compareContextTokens(tokens: readonly LlamaToken[]): { firstDifferentIndex: number };
  eraseContextTokenRanges(ranges: readonly { start: number; end: number }[]): Promise<void>;
  evaluateWithoutGeneratingNewTokens(
    tokens: readonly LlamaToken[],
    options?: { evaluationPriority?: number },
  ): Promise<void>;
  evaluate(tokens: readonly LlamaToken[], options?: object): AsyncGenerator<LlamaToken, void, void>;
}

export interface LlamaFunctionCall {
  readonly functionName: string;
  readonly params: unknown;
}

export interface LlamaChatSession {
  readonly chatWrapper: {
    generateContextState(options: {
      chatHistory: readonly object[];
      availableFunctions?: object;
      documentFunctionParams?: boolean;
    }): { contextText: { tokenize(tokenizer: unknown): LlamaToken[] } };
  };
  generateResponse(
    history: readonly object[],
    options: object,
  ): Promise<{ functionCalls?: readonly LlamaFunctionCall[]; metadata: { stopReason: string } }>;
}

export interface LlamaContext {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly memoryUsage: { readonly ram: number; readonly vram: number };
  getSequence(): LlamaSequence;
}

export interface LlamaModel {
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
  tokenize(text: string): LlamaToken[];
  createContext(options: object): Promise<LlamaContext>;
}

export interface Llama {
  createGrammarForJsonSchema(schema: object): Promise<object>;
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

export interface LlamaRuntime {
  getLlama(options: object): Promise<Llama>;
  LlamaChat: new (options: { contextSequence: LlamaSequence }) => LlamaChatSession;
}

export async function importRuntime(path: string): Promise<LlamaRuntime> {
  try {
    return (await import(pathToFileURL(path).href)) as LlamaRuntime;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('the runtime of local models is not installed: npx trunkline brain install');
  }
}
