import { digitsIn } from '../../../language/pii/index.ts';
import type { Brain, BrainEvent, BrainMessage, BrainRequest } from '../contract.ts';
import { findSecrets, type Secret } from './conversation-secrets.ts';

const PLACEHOLDER = /\[(?:CARD|CVV|SSN)_\d+\]/g;
/** A placeholder that is still being written. */
const OPEN_PLACEHOLDER = /\[[A-Z]{0,4}(?:_\d{0,4})?$/;

const REGEXP_SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** A language model sees `[CARD_1]` where the caller said a card number; a tool that it calls with that gets the number. The
 * built-in responder runs in this process and needs none of it. */
export function withRedactedSecrets<B extends Brain>(brain: B): B {
  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    const secrets = new SecretPlaceholders();
    const messages = secrets.hide(request.messages);
    const { callerAudio, playsVoice, ...rest } = request;
    const audio = callerAudio === undefined || hasSecret(request, messages) ? {} : { callerAudio };
    // The model's own voice would say the placeholder.
    const voice = playsVoice === undefined || secrets.areHidden ? {} : { playsVoice };
    let held = '';
    for await (const event of brain.respond({ ...rest, ...audio, ...voice, messages }, signal)) {
      if (event.kind === 'thinking' || event.kind === 'voice' || event.kind === 'sound') {
        yield event;
        continue;
      }
      if (event.kind !== 'text') {
        if (held !== '') yield { kind: 'text', text: secrets.spoken(held) };
        held = '';
        yield event.kind === 'tool_call' ? { kind: 'tool_call', call: secrets.revealed(event.call) } : event;
        continue;
      }
      const text = held + event.text;
      held = OPEN_PLACEHOLDER.exec(text)?.[0] ?? '';
      const ready = text.slice(0, text.length - held.length);
      if (ready !== '') yield { kind: 'text', text: secrets.spoken(ready) };
    }
    if (held !== '') yield { kind: 'text', text: secrets.spoken(held) };
  }
  return { ...brain, respond };
}

/** The audio of a message with a secret would say the secret. */
function hasSecret({ messages }: BrainRequest, hidden: readonly BrainMessage[]): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages[last]?.content !== hidden[last]?.content;
}

class SecretPlaceholders {
  readonly #placeholders = new Map<string, string>();
  readonly #values = new Map<string, string>();

  get areHidden(): boolean {
    return this.#values.size > 0;
  }

  /** The talk with what is secret in each message's place. A number may come in pieces, a turn each. */
  hide(messages: readonly BrainMessage[]): BrainMessage[] {
    const found = findSecrets(
      messages.map(({ content }) => content),
      messages.map(({ role }) => role === 'user'),
    );
    return messages.map((message, at) => {
      const content = this.#replaced(message.content, found[at] ?? []);
      if (message.role !== 'assistant' || !message.toolCalls) return { ...message, content };
      const toolCalls = message.toolCalls.map((call) => ({
        ...call,
        arguments: this.#hidden(call.arguments),
      }));
      return { ...message, content, toolCalls };
    });
  }

  /** The tool gets what the caller said. */
  revealed<T extends { readonly arguments: string }>(call: T): T {
    const inJson = (placeholder: string): string =>
      JSON.stringify(this.#values.get(placeholder) ?? placeholder).slice(1, -1);
    return { ...call, arguments: call.arguments.replace(PLACEHOLDER, inJson) };
  }

  /** Aloud, the last four digits say which number is meant. */
  spoken(text: string): string {
    return text.replace(PLACEHOLDER, (placeholder) => {
      const value = this.#values.get(placeholder);
      if (value === undefined) return placeholder;
      return placeholder.startsWith('[CVV') ? '' : value.slice(-4);
    });
  }

  #hidden(text: string): string {
    let hidden = this.#replaced(text, findSecrets([text], [false])[0] ?? []);
    // A secret from the conversation is also replaced in tool arguments, under whatever name it stands there.
    for (const [value, placeholder] of this.#placeholders)
      hidden = hidden.replace(wholeNumber(value), placeholder);
    return hidden;
  }

  #replaced(text: string, secrets: readonly Secret[]): string {
    let result = '';
    let at = 0;
    for (const { type, whole, start, end } of secrets) {
      result += text.slice(at, start) + this.#placeholder(type, whole);
      at = end;
    }
    return result + text.slice(at);
  }

  #placeholder(type: Secret['type'], written: string): string {
    const value = digitsIn(written) || written;
    const known = this.#placeholders.get(value);
    if (known !== undefined) return known;
    const placeholder = `[${type}_${this.#values.size + 1}]`;
    this.#placeholders.set(value, placeholder);
    this.#values.set(placeholder, value);
    return placeholder;
  }
}

const wholeNumber = (value: string): RegExp =>
  new RegExp(`(?<!\\p{Nd})${value.replace(REGEXP_SYNTAX, '\\$&')}(?!\\p{Nd})`, 'gu');
