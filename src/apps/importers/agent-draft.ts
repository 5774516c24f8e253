import { type ExportReader, ImportError } from './export-reader.ts';

type Json = Record<string, unknown>;

export class AgentDraft {
  readonly agent: Json = {};
  readonly tools: Json[] = [];
  readonly changed: string[] = [];
  readonly #builtins = new Set<string>();
  readonly #prompt: string[] = [];
  readonly #behind: string[] = [];

  change(where: string, what: string): void {
    this.changed.push(`${where}: ${what}`);
  }

  name(name: string | undefined, fallback: string): void {
    const said = name?.trim() || fallback;
    if (said.length > MOST.name) this.change('name', `shortened to ${MOST.name} characters`);
    this.agent.name = said.slice(0, MOST.name);
  }

  persona(text: string): void {
    if (text.trim() !== '') this.#prompt.push(text.trim());
  }

  behind(text: string): void {
    this.#behind.push(text);
  }

  greeting(piece: ExportReader): void {
    const text = piece.text() ?? '';
    if (text.length > MOST.greeting)
      throw new ImportError(
        `${piece.path} has ${text.length} characters; a greeting can have at most ${MOST.greeting}`,
      );
    if (text !== '') this.agent.greeting = text;
  }

  builtin(...names: string[]): void {
    for (const name of names) this.#builtins.add(name);
  }

  phrase(moment: 'still_there' | 'farewell', piece: ExportReader): void {
    const text = piece.text();
    if (!text) return;
    if (text.length > MOST.phrase) {
      this.change(piece.path, `not imported: a phrase can have at most ${MOST.phrase} characters`);
      return;
    }
    this.agent.phrases = { ...(this.agent.phrases as Json | undefined), [moment]: text };
  }

  idle(fields: Json): void {
    if (Object.keys(fields).length > 0)
      this.agent.idle = { ...(this.agent.idle as Json | undefined), ...fields };
  }

  vocabulary(words: readonly string[]): void {
    const distinct = [...new Set(words.map((word) => word.trim()).filter(Boolean))];
    const short = distinct.filter((word) => word.length <= MOST.word).slice(0, MOST.words);
    if (short.length < distinct.length)
      this.change(
        'vocabulary',
        `${distinct.length - short.length} of ${distinct.length} words are too long or too many`,
      );
    if (short.length > 0) this.agent.vocabulary = short;
  }

  bounded(piece: ExportReader, value: number, [least, most]: readonly [number, number]): number {
    const found = Math.min(most, Math.max(least, Math.round(value)));
    if (found !== Math.round(value)) this.change(piece.path, `${value} was changed to ${found}`);
    return found;
  }

  done(voice: string | undefined): { agent: Json; tools: readonly Json[]; changed: readonly string[] } {
    const persona = [...this.#prompt, ...this.#behind].join('\n\n');
    if (this.#prompt.length === 0)
      this.change('persona', 'the original has no prompt: write the persona of the agent');
    if (persona.length > MOST.persona)
      throw new ImportError(
        `the prompt has ${persona.length} characters; a persona can have at most ${MOST.persona}`,
      );
    const agent = {
      ...this.agent,
      persona,
      ...(voice === undefined ? {} : { voice_id: voice }),
      ...(this.#builtins.size === 0 ? {} : { builtin_tools: [...this.#builtins] }),
    };
    this.#reportVariables(`${persona}\n${String(this.agent.greeting ?? '')}`);
    return { agent, tools: this.tools, changed: this.changed };
  }

  #reportVariables(text: string): void {
    const found = [...new Set([...text.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, inside]) => inside!.trim()))];
    const names = found.filter((inside) => NAME.test(inside));
    const others = found.filter((inside) => !NAME.test(inside));
    if (names.length > 0)
      this.change(
        'variables',
        `set ${names.join(', ')} for each telephone call; in other calls, the placeholder is spoken unchanged`,
      );
    if (others.length > 0)
      this.change('variables', `${others.join(', ')} is not a valid variable name; the text is unchanged`);
  }
}

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MOST = { name: 200, persona: 16_000, greeting: 1000, phrase: 300, word: 64, words: 200 };
