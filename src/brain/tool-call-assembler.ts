import { BrainError, type BrainToolCall } from './contract.ts';

const MAX_CALLS = 16;
const MAX_ARGUMENT_CHARACTERS = 64_000;

interface Fragment {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

/** Joins the fragments in which a chat stream sends its tool calls. */
export class ToolCallAssembler {
  readonly #parts = new Map<number, { id: string; name: string; arguments: string }>();

  add(fragments: unknown): void {
    if (!Array.isArray(fragments)) return;
    for (const fragment of fragments as Fragment[]) this.#addOne(fragment);
  }

  calls(): BrainToolCall[] {
    const calls: BrainToolCall[] = [];
    for (const [index, part] of [...this.#parts].sort(([a], [b]) => a - b)) {
      if (part.name === '') throw new BrainError('garbage', 'a tool call has no name', { retryable: false });
      calls.push({ id: part.id || `call_${index}`, name: part.name, arguments: part.arguments || '{}' });
    }
    return calls;
  }

  #addOne(fragment: Fragment): void {
    const index = typeof fragment?.index === 'number' ? fragment.index : this.#parts.size;
    const part = this.#parts.get(index) ?? { id: '', name: '', arguments: '' };
    if (!this.#parts.has(index) && this.#parts.size >= MAX_CALLS) {
      throw new BrainError('garbage', 'too many tool calls in one answer', { retryable: false });
    }
    if (typeof fragment?.id === 'string') part.id = fragment.id;
    if (typeof fragment?.function?.name === 'string') part.name += fragment.function.name;
    if (typeof fragment?.function?.arguments === 'string') part.arguments += fragment.function.arguments;
    if (part.arguments.length > MAX_ARGUMENT_CHARACTERS) {
      throw new BrainError('garbage', 'the arguments of a tool call are over 64,000 characters', {
        retryable: false,
      });
    }
    this.#parts.set(index, part);
  }
}
