import { BrainError, type BrainToolCall } from '../contract.ts';

export const MAX_CALLS = 16;
export const MAX_ARGUMENT_CHARACTERS = 64_000;

interface Fragment {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

interface Part {
  id: string;
  name: string;
  arguments: string;
}

/**
 * Joins the fragments of streamed tool calls. Servers number them by `index`, or send 0 for all and distinguish them
 * by `id`, or send neither: a fragment then continues the previous call.
 */
export class ToolCallAssembler {
  readonly #parts: Part[] = [];
  #last: Part | undefined;
  readonly #numbered = new Map<number, Part>();

  add(fragments: unknown): void {
    if (!Array.isArray(fragments)) return;
    for (const fragment of fragments as Fragment[]) this.#addOne(fragment);
  }

  get empty(): boolean {
    return this.#parts.length === 0;
  }

  calls(): BrainToolCall[] {
    return this.#parts.map((part, at) => {
      if (part.name === '') throw new BrainError('garbage', 'a tool call has no name', { retryable: false });
      return { id: part.id || `call_${at}`, name: part.name, arguments: part.arguments || '{}' };
    });
  }

  #addOne(fragment: Fragment): void {
    const part = this.#partOf(fragment);
    const called = fragment?.function;
    // Some servers repeat the name with each fragment.
    if (typeof called?.name === 'string' && called.name !== part.name) part.name += called.name;
    part.arguments = joined(part.arguments, called?.arguments);
    if (part.arguments.length > MAX_ARGUMENT_CHARACTERS) {
      throw new BrainError('garbage', 'the arguments of a tool call have more than 64,000 characters', {
        retryable: false,
      });
    }
  }

  #partOf(fragment: Fragment): Part {
    const index = typeof fragment?.index === 'number' ? fragment.index : null;
    const id = typeof fragment?.id === 'string' ? fragment.id : '';
    const before =
      index !== null
        ? this.#numbered.get(index)
        : id === ''
          ? this.#last
          : this.#parts.find((part) => part.id === id);
    const goesOn = before !== undefined && (id === '' || before.id === '' || before.id === id);
    const part = goesOn ? before : this.#begin();
    this.#last = part;
    if (id !== '') part.id = id;
    if (index !== null) this.#numbered.set(index, part);
    return part;
  }

  #begin(): Part {
    const part = { id: '', name: '', arguments: '' };
    if (this.#parts.length < MAX_CALLS) this.#parts.push(part);
    return part;
  }
}

/** Some servers send the arguments as one JSON object instead of text. */
function joined(before: string, more: unknown): string {
  if (more === undefined || more === null) return before;
  if (typeof more === 'string') return before + more;
  if (typeof more === 'object' && !Array.isArray(more)) return JSON.stringify(more);
  throw new BrainError('garbage', 'the arguments of a tool call are not an object', { retryable: false });
}
