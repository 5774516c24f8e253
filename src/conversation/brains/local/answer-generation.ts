import type { BrainEvent, BrainFault } from '../contract.ts';
import { functionsOf, historyOf, truncateHistory } from './history.ts';
import type { LlamaToken } from './llama.ts';
import type { LoadedModel, SequenceSlot } from './loaded-model.ts';
import type { LocalQuestion } from './protocol.ts';

export class AnswerError extends Error {
  readonly fault: BrainFault;

  constructor(fault: BrainFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export const EVALUATION_PRIORITY = { question: 5, preparation: 1 };

export interface GenerationListener {
  readonly id: number;
  event(event: BrainEvent): void;
  measured(tokens: number, ms: number): void;
}

export class AnswerGeneration {
  readonly #loaded: LoadedModel;
  readonly #place: SequenceSlot;
  readonly #question: LocalQuestion;

  constructor(loaded: LoadedModel, place: SequenceSlot, question: LocalQuestion) {
    this.#loaded = loaded;
    this.#place = place;
    this.#question = question;
  }

  /** Evaluates the new part of the prompt in steps, so that it can be aborted; the evaluated part stays cached. */
  async read(tokens: readonly LlamaToken[], priority: number, signal: AbortSignal): Promise<void> {
    const { sequence } = this.#place;
    const { batchSize } = this.#loaded.context;
    const known = sequence.compareContextTokens(tokens).firstDifferentIndex;
    if (known < sequence.nextTokenIndex)
      await sequence.eraseContextTokenRanges([{ start: known, end: sequence.nextTokenIndex }]);
    // A runtime that cannot erase a part alone also erases what precedes it, which is evaluated again.
    for (let at = sequence.nextTokenIndex; at < tokens.length && !signal.aborted; at += batchSize) {
      const step = tokens.slice(at, at + batchSize);
      await sequence.evaluateWithoutGeneratingNewTokens(step, { evaluationPriority: priority });
    }
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const tokens = this.#tokensOf(historyOf(this.#question));
    if (tokens.length < this.#contextTokens())
      await this.read(tokens, EVALUATION_PRIORITY.preparation, signal);
  }

  async answer(listener: GenerationListener, signal: AbortSignal): Promise<void> {
    const before = this.#place.sequence.tokenMeter.getState();
    const history = this.#fitting();
    const tokens = this.#tokensOf(history);
    // The last token is left for the answer, which begins after it.
    await this.read(tokens.slice(0, -1), EVALUATION_PRIORITY.question, signal);
    if (signal.aborted) return;
    const said = await this.#write(history, tokens.length, listener, signal);
    const after = this.#place.sequence.tokenMeter.getState();
    const evaluated = after.usedInputTokens - before.usedInputTokens;
    listener.event({
      kind: 'usage',
      promptTokens: tokens.length,
      cachedTokens: Math.max(0, tokens.length - evaluated),
      completionTokens: after.usedOutputTokens - before.usedOutputTokens,
    });
    if (said === 'nothing') throw new AnswerError('garbage', 'the local model returned an empty answer');
  }

  async #write(
    history: readonly object[],
    promptTokens: number,
    listener: GenerationListener,
    signal: AbortSignal,
  ): Promise<'something' | 'nothing'> {
    const { temperature, seed, tools, schema } = this.#question;
    const { contextSize } = this.#place.sequence;
    const maxTokens = Math.min(this.#question.maxTokens, contextSize - promptTokens);
    const grammar = schema === undefined ? null : await this.#loaded.grammarOf(schema);
    const pace = new GenerationRateMeter();
    let said: 'something' | 'nothing' = 'nothing';
    const { functionCalls = [], metadata } = await this.#place.chat.generateResponse(history, {
      signal,
      stopOnAbortSignal: true,
      maxTokens,
      ...(temperature === undefined ? {} : { temperature }),
      ...(seed === undefined ? {} : { seed }),
      ...(tools.length === 0 ? {} : this.#functions()),
      ...(grammar === null ? {} : { grammar }),
      onToken: (tokens: readonly LlamaToken[]) => pace.wrote(tokens.length),
      // The runtime separates reasoning where it knows the model's template.
      onResponseChunk: ({ type }: { type?: string }) => {
        if (type === 'segment') listener.event({ kind: 'thinking' });
      },
      // A call is written for longer than a model may be silent before it counts as stalled.
      onFunctionCallParamsChunk: () => listener.event({ kind: 'thinking' }),
      onTextChunk: (text: string) => {
        if (text !== '') said = 'something';
        listener.event({ kind: 'text', text });
      },
    });
    if (signal.aborted) return 'something';
    pace.notify(listener);
    for (const [index, { functionName, params }] of functionCalls.entries()) {
      const id = `call_${listener.id}_${index}`;
      const made = { id, name: functionName, arguments: JSON.stringify(params ?? {}) };
      listener.event({ kind: 'tool_call', call: made });
    }
    if (metadata.stopReason === 'maxTokens') listener.event({ kind: 'truncated' });
    return functionCalls.length > 0 ? 'something' : said;
  }

  #functions() {
    return { functions: functionsOf(this.#question), documentFunctionParams: false };
  }

  /** Leaves at least half of the context to the prompt; a longer answer continues in another context. */
  #contextTokens(): number {
    const { contextSize } = this.#place.sequence;
    return contextSize - Math.min(this.#question.maxTokens, Math.floor(contextSize / 2));
  }

  #fitting(): readonly object[] {
    const lengthOf = (history: readonly object[]): number => this.#tokensOf(history).length;
    const history = truncateHistory(historyOf(this.#question), this.#contextTokens(), lengthOf);
    if (history !== null) return history;
    throw new AnswerError(
      'refused',
      `the instructions of the agent and the caller's last turn are longer than the ${this.#contextTokens()} tokens of the local model's context`,
    );
  }

  #tokensOf(chatHistory: readonly object[]): LlamaToken[] {
    const { chatWrapper } = this.#place.chat;
    const instructions =
      this.#question.tools.length === 0
        ? {}
        : { availableFunctions: functionsOf(this.#question), documentFunctionParams: false };
    const { contextText } = chatWrapper.generateContextState({ chatHistory, ...instructions });
    return contextText.tokenize(this.#loaded.model.tokenizer);
  }
}

class GenerationRateMeter {
  #firstAt: number | null = null;
  #lastAt = 0;
  #tokens = 0;

  wrote(count: number): void {
    this.#lastAt = performance.now();
    if (this.#firstAt === null) this.#firstAt = this.#lastAt;
    else this.#tokens += count;
  }

  notify(listener: GenerationListener): void {
    if (this.#firstAt !== null) listener.measured(this.#tokens, this.#lastAt - this.#firstAt);
  }
}
