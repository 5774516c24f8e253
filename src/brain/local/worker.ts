/** The process that runs a GGUF model. It is started with the runtime's folder and the model's file, answers questions
 * over its channel, and ends with its parent. The runtime is installed on demand, so it has no types here beyond what is
 * used. */
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { BrainMessage } from '../contract.ts';
import type { FromWorker, LocalQuestion, ToWorker } from './protocol.ts';
import { modelFileProblem } from './runtime.ts';

interface FunctionCall {
  readonly functionName: string;
  readonly params: unknown;
}
interface Chat {
  generateResponse(
    history: readonly object[],
    options: object,
  ): Promise<{ functionCalls?: readonly FunctionCall[] }>;
  dispose(): void;
}
interface Sequence {
  dispose(): void;
}
interface Context {
  getSequence(): Sequence;
}
interface Runtime {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<{ createContext(options: object): Promise<Context> }>;
  }>;
  LlamaChat: new (options: object) => Chat;
}

const SEQUENCES = 2;
const CONTEXT_TOKENS = 4096;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const tell = (message: FromWorker): void => void process.send?.(message);

const running = new Map<number, AbortController>();
const waiting: (() => void)[] = [];
let free = SEQUENCES;

async function main(runtimePath: string, modelPath: string): Promise<void> {
  const problem = await modelFileProblem(modelPath);
  if (problem !== null) throw new Error(problem);
  const runtime = await importRuntime(runtimePath);
  const llama = await runtime.getLlama({ build: 'never', gpu: 'auto', logLevel: 'error' });
  const model = await llama.loadModel({ modelPath }).catch((error: unknown) => {
    throw new Error(`${modelPath} cannot be loaded: ${wordsOf(error)}`);
  });
  // Half of the machine: calls come first, and threads that spin for a core they don't get stall each other.
  const ideal = Math.max(1, Math.floor(availableParallelism() / 2));
  const threads = { ideal, min: 1 };
  const context = await model.createContext({ sequences: SEQUENCES, contextSize: CONTEXT_TOKENS, threads });
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'cancel') running.get(message.id)?.abort();
    else void serve(runtime, context, message.id, message.question);
  });
  tell({ kind: 'ready' });
}

async function importRuntime(path: string): Promise<Runtime> {
  try {
    return (await import(pathToFileURL(path).href)) as Runtime;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('the runtime of local models is not installed: npx trunkline brain install');
  }
}

async function serve(runtime: Runtime, context: Context, id: number, question: LocalQuestion): Promise<void> {
  const abort = new AbortController();
  running.set(id, abort);
  await takeSequence();
  try {
    if (!abort.signal.aborted) await generate(runtime, context, id, question, abort.signal);
    tell({ kind: 'done', id });
  } catch (error) {
    if (abort.signal.aborted) tell({ kind: 'done', id });
    else tell({ kind: 'failed', id, message: wordsOf(error) });
  } finally {
    running.delete(id);
    free++;
    waiting.shift()?.();
  }
}

async function takeSequence(): Promise<void> {
  while (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  free--;
}

async function generate(
  runtime: Runtime,
  context: Context,
  id: number,
  question: LocalQuestion,
  signal: AbortSignal,
): Promise<void> {
  const sequence = context.getSequence();
  const chat = new runtime.LlamaChat({ contextSequence: sequence });
  try {
    const { functionCalls = [] } = await chat.generateResponse(historyOf(question), {
      signal,
      stopOnAbortSignal: true,
      maxTokens: question.maxTokens,
      ...(question.temperature === undefined ? {} : { temperature: question.temperature }),
      ...(question.seed === undefined ? {} : { seed: question.seed }),
      ...(question.tools.length === 0 ? {} : { functions: functionsOf(question) }),
      // Thoughts are told apart here where the model's template is known.
      onResponseChunk: ({ type }: { type?: string }) => {
        if (type === 'segment') tell({ kind: 'event', id, event: { kind: 'thinking' } });
      },
      onTextChunk: (text: string) => tell({ kind: 'event', id, event: { kind: 'text', text } }),
    });
    functionCalls.forEach((call, index) => {
      const made = {
        id: `call_${id}_${index}`,
        name: call.functionName,
        arguments: JSON.stringify(call.params ?? {}),
      };
      tell({ kind: 'event', id, event: { kind: 'tool_call', call: made } });
    });
  } finally {
    chat.dispose();
    sequence.dispose();
  }
}

const functionsOf = (question: LocalQuestion): object =>
  Object.fromEntries(
    question.tools.map(({ name, description, parameters }) => [name, { description, params: parameters }]),
  );

function historyOf(question: LocalQuestion): object[] {
  const history: object[] = [{ type: 'system', text: question.system }];
  for (const [index, message] of question.messages.entries()) {
    if (message.role === 'user') history.push({ type: 'user', text: message.content });
    else if (message.role === 'assistant') {
      history.push({ type: 'model', response: responseOf(message, question.messages.slice(index + 1)) });
    }
  }
  // The runtime continues the last model item.
  history.push({ type: 'model', response: [] });
  return history;
}

/** A call stands together with its result, which follows in the messages. */
function responseOf(
  message: Extract<BrainMessage, { role: 'assistant' }>,
  following: readonly BrainMessage[],
): unknown[] {
  const calls = (message.toolCalls ?? []).map((call) => {
    const result = following.find((other) => other.role === 'tool' && other.callId === call.id);
    return {
      type: 'functionCall',
      name: call.name,
      params: parsed(call.arguments),
      result: result?.content ?? '',
    };
  });
  return message.content === '' ? calls : [message.content, ...calls];
}

/** What a model once wrote need not have been JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const [runtimePath = '', modelPath = ''] = process.argv.slice(2);
process.on('disconnect', () => process.exit(0));
main(runtimePath, modelPath).catch((error: unknown) => {
  tell({ kind: 'unusable', message: wordsOf(error) });
  process.exitCode = 1;
  process.disconnect?.();
});
