// The part `local` of npm run bench -- flows: a language model on this machine takes the place of the scripted one.
import { existsSync } from 'node:fs';
import {
  type BrainMessage,
  createLocalModel,
  type LocalModel,
  runtimeFolder,
} from '../../src/conversation/brains/index.ts';
import { runtimeEntry } from '../../src/conversation/brains/local/runtime.ts';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { toolOf } from './business.ts';
import type { Model, ModelRequest, Reply } from './model.ts';

const ANSWER_TOKENS = 60;
const DEADLINE_MS = 60_000;

const folder = process.env.TRUNKLINE_TEST_LLAMA ?? runtimeFolder(loadConfig(process.env).data);
const file = new Models().wholeFiles()['smollm2-135m/model.gguf'];

export async function openLocalModel(): Promise<LocalModel> {
  if (file === undefined || !existsSync(runtimeEntry(folder)))
    throw new Error(
      'the part local needs a model and what it runs in: npx trunkline models fetch --only smollm2-135m, npx trunkline brain install',
    );
  return await new Promise((resolve, reject) => {
    const brain: LocalModel = createLocalModel({
      model: file,
      runtimeDir: folder,
      calls: 2,
      maxTokens: ANSWER_TOKENS,
      firstEventMs: DEADLINE_MS,
      stallMs: DEADLINE_MS,
      onReady: () => resolve(brain),
      onFault: (reason) => reject(new Error(reason)),
    });
    brain.prepare?.('', 'en');
  });
}

export const modelOf =
  (brain: LocalModel, took: number[]): Model =>
  async ({ terms, history, call }: ModelRequest): Promise<Reply> => {
    const began = performance.now();
    const messages: BrainMessage[] = history.slice(-terms.messages).map(({ by, text }) => ({
      role: by === 'caller' ? ('user' as const) : ('assistant' as const),
      content: text,
    }));
    if (messages.at(-1)?.role !== 'user') messages.push({ role: 'user', content: '(Go on.)' });
    const tools = [...terms.own, ...terms.tools.map(toolOf)].map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    let text = '';
    const calls: { name: string; args: Record<string, unknown> }[] = [];
    const request = {
      language: 'en' as const,
      persona: terms.persona,
      messages,
      tools,
      passages: [],
      grounding: 'open' as const,
      temperature: 0,
      call,
    };
    for await (const event of brain.respond(request, new AbortController().signal)) {
      if (event.kind === 'text') text += event.text;
      if (event.kind === 'tool_call')
        calls.push({ name: event.call.name, args: argumentsOf(event.call.arguments) });
    }
    took.push(performance.now() - began);
    return { text: text.trim(), calls, misbehaved: null };
  };

function argumentsOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
