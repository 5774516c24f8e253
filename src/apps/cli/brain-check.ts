import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainRequest,
} from '../../conversation/brains/index.ts';

/** A large model may take long to load; a call waits less. */
export const BRAIN_TIMEOUT_MS = 60_000;

const question = (content: string): BrainRequest => ({
  language: 'en',
  persona: '',
  messages: [{ role: 'user', content }],
  tools: [],
  passages: [],
});

const TOOL = {
  name: 'look_up_order',
  description: 'Says where an order is.',
  parameters: {
    type: 'object',
    properties: { order: { type: 'string', description: 'Its number.' } },
    required: ['order'],
  },
};

export interface BrainCheck {
  readonly works: boolean;
  readonly lines: readonly string[];
}

export async function checkBrain(brain: Brain): Promise<BrainCheck> {
  try {
    const { text, firstMs } = await askBrain(brain, question('Say hello in one short sentence.'));
    if (firstMs === null) return failed(brain, 'the model returned no text');
    const hello = `ok     ${brain.name}: first word after ${firstMs} ms: ${text.trim()}`;
    return { works: true, lines: [hello, `       tools: ${await checkToolUse(brain)}`] };
  } catch (error) {
    return failed(brain, whyOf(error));
  }
}

const failed = (brain: Brain, why: string): BrainCheck => ({
  works: false,
  lines: [`FAILS  ${brain.name}: ${why}`],
});

const whyOf = (error: unknown): string =>
  error instanceof BrainError ? `${error.fault}: ${error.message}` : String(error);

/** A model without tool calls passes, because small models often have none. */
async function checkToolUse(brain: Brain): Promise<string> {
  try {
    const ask = { ...question('Where is my order? Its number is 4711.'), tools: [TOOL] };
    const { calls } = await askBrain(brain, ask);
    const [call] = calls;
    return call
      ? `it called ${call.name} with ${call.arguments}`
      : 'it answered with text instead of calling the tool';
  } catch (error) {
    return whyOf(error);
  }
}

async function askBrain(brain: Brain, request: BrainRequest) {
  const began = performance.now();
  const events: BrainEvent[] = [];
  let firstMs: number | null = null;
  for await (const event of brain.respond(request, AbortSignal.timeout(2 * BRAIN_TIMEOUT_MS))) {
    if (event.kind !== 'thinking') firstMs ??= Math.round(performance.now() - began);
    events.push(event);
  }
  return {
    firstMs,
    text: events.map((event) => (event.kind === 'text' ? event.text : '')).join(''),
    calls: events.flatMap((event) => (event.kind === 'tool_call' ? [event.call] : [])),
  };
}
