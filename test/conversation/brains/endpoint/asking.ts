import type { Brain, BrainEvent, BrainRequest } from '../../../../src/conversation/brains/contract.ts';
import { BrainError } from '../../../../src/conversation/brains/contract.ts';
import { createChatEndpoint } from '../../../../src/conversation/brains/endpoint/chat-endpoint.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { introduce, type Script, ScriptedEndpoint } from './scripted-endpoint.ts';
export const request: BrainRequest = {
  language: 'en',
  persona: 'You work for Acme.',
  messages: [{ role: 'user', content: 'When do you open?' }],
  tools: [],
  passages: [],
};

export const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export async function brainFor(
  script: Script,
  options: Partial<Parameters<typeof createChatEndpoint>[0]> = {},
) {
  const endpoint = await ScriptedEndpoint.start(script);
  const brain = createChatEndpoint({ url: endpoint.url, model: 'test', ...options });
  cleanups.push(
    () => endpoint.close(),
    () => brain.close(),
  );
  await introduce(brain);
  return { endpoint, brain };
}

export async function collect(brain: Brain, asked = request, signal = new AbortController().signal) {
  const events: BrainEvent[] = [];
  for await (const event of brain.respond(asked, signal)) if (event.kind !== 'thinking') events.push(event);
  return events;
}

export const faultOf = (brain: Brain) =>
  collect(brain).then(
    () => 'none',
    (error: unknown) => (error instanceof BrainError ? error.fault : String(error)),
  );
