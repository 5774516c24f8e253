import { MOST_CONTEXT, MOST_TYPED } from '../vendor-conversation.ts';
import { newThing } from './events.ts';
import type { Item } from './response.ts';

/** The oldest items are evicted, because clients refer to recent ones only. */
const MOST_ITEMS = 500;

export function keepLatest<V>(map: Map<string, V>, id: string, value: V): void {
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > MOST_ITEMS && oldest !== undefined) map.delete(oldest);
}

export class Items {
  readonly #items = new Map<string, Item>();

  get last(): string | null {
    return [...this.#items.keys()].at(-1) ?? null;
  }

  find(id: unknown): Item | null {
    return this.#items.get(String(id)) ?? null;
  }

  add(item: Item): string | null {
    const before = this.last;
    keepLatest(this.#items, item.id, item);
    return before;
  }

  replace(item: Item): void {
    if (this.#items.has(item.id)) this.#items.set(item.id, item);
  }

  delete(id: string): void {
    this.#items.delete(id);
  }
}

export class ItemError extends Error {
  readonly param: string;
  constructor(param: string, message: string) {
    super(message);
    this.name = 'ItemError';
    this.param = param;
  }
}

export type Brought =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'known'; readonly text: string }
  | { readonly kind: 'recorded'; readonly bytes: Buffer }
  | { readonly kind: 'output'; readonly callId: string; readonly output: string };

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readItem(said: unknown): { readonly item: Item; readonly brought: Brought } {
  if (!isFields(said)) throw new ItemError('item', 'item must be an object');
  const id = typeof said.id === 'string' && said.id.length <= 128 ? said.id : newThing('item');
  if (said.type === 'function_call_output') return outputOf(id, said);
  if (said.type === 'function_call') return earlierCallOf(id, said);
  if (said.type !== 'message')
    throw new ItemError('item.type', 'item.type must be message, function_call or function_call_output');
  return messageOf(id, said);
}

function outputOf(id: string, { call_id: callId, output }: Fields) {
  if (typeof callId !== 'string') throw new ItemError('item.call_id', 'item.call_id must be a string');
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? null);
  const item = {
    id,
    object: 'realtime.item',
    type: 'function_call_output',
    status: 'completed',
    call_id: callId,
    output: text,
  } as const;
  return { item, brought: { kind: 'output', callId, output: text } as const };
}

function earlierCallOf(id: string, said: Fields) {
  const item = {
    id,
    object: 'realtime.item',
    type: 'function_call',
    status: 'completed',
    call_id: String(said.call_id ?? ''),
    name: String(said.name ?? ''),
    arguments: String(said.arguments ?? '{}'),
  } as const;
  const text = `You called ${item.name} with ${item.arguments}.`.slice(0, MOST_CONTEXT);
  return { item, brought: { kind: 'known', text } as const };
}

function messageOf(id: string, { role, content }: Fields): { item: Item; brought: Brought } {
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new ItemError('item.role', 'item.role must be user, assistant or system');
  const parts = Array.isArray(content) ? content.filter(isFields) : [];
  const item: Item = {
    id,
    object: 'realtime.item',
    type: 'message',
    status: 'completed',
    role,
    content: parts,
  };
  const sound = parts.find((part) => part.type === 'input_audio' && typeof part.audio === 'string');
  if (role === 'user' && sound !== undefined) {
    const bytes = Buffer.from(String(sound.audio), 'base64');
    const shown = parts.map(({ audio: _audio, ...part }) => part);
    return { item: { ...item, content: shown }, brought: { kind: 'recorded', bytes } };
  }
  const text = parts
    .map((part) => part.text ?? part.transcript)
    .filter((one) => typeof one === 'string')
    .join(' ')
    .trim();
  if (text === '') throw new ItemError('item.content', 'item.content must have a part with text');
  const most = role === 'user' ? MOST_TYPED : MOST_CONTEXT;
  if (text.length > most)
    throw new ItemError('item.content', `item.content can have at most ${most} characters`);
  if (role === 'user') return { item, brought: { kind: 'said', text } };
  return { item, brought: { kind: 'known', text: role === 'assistant' ? `You have said: ${text}` : text } };
}
