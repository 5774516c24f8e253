import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runPiped } from '../../../media/codec/index.ts';
import {
  passes,
  TRIAL,
  type TranslationOffer,
  type TranslationRequest,
  type Translator,
} from './contract.ts';
import { maskTerms } from './glossary.ts';

/** Debian's packages name languages by two or three letters in their modes. */
const LANGUAGES: Readonly<Record<string, string>> = {
  eng: 'en',
  en: 'en',
  spa: 'es',
  es: 'es',
  fra: 'fr',
  fr: 'fr',
  ita: 'it',
  it: 'it',
  por: 'pt',
  pt: 'pt',
};
const MODE = /^([a-z]{2,3})-([a-z]{2,3})\.mode$/;
/** Apertium loads whole dictionaries into memory. */
const LIMITS = { cpuSeconds: 20, memoryKilobytes: 512 * 1024, openFiles: 128 };
/** The text's own marks are kept from the pipeline, which the mode defines; `-g` marks unknown words. */
const PIPELINE = 'export PATH=/usr/bin:/bin LC_ALL=C.UTF-8; apertium-destxt | sh "$1" -g | apertium-retxt';
const UNKNOWN = /[*@#](?=[\p{L}\p{N}])/gu;
const TRIED_EVERY_MS = 3_600_000;
const MOST_CHARACTERS = 20_000;

interface Mode {
  readonly source: string;
  readonly target: string;
  readonly path: string;
}

const keyOf = ({ source, target }: { source: string; target: string }): string => `${source}-${target}`;

/** Apertium's rules and dictionaries, where they are installed, in sandboxed processes. */
export class ApertiumTranslator implements Translator {
  readonly name = 'apertium';
  readonly keepsGlossary = true;
  readonly shortens = false;
  readonly reads = 'text';
  readonly goodForMs = TRIED_EVERY_MS;
  readonly #folder: string;
  #modes = new Map<string, Mode>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async offers(signal: AbortSignal): Promise<readonly TranslationOffer[]> {
    const working = new Map<string, Mode>();
    for (const mode of await this.#installed()) {
      if (!working.has(keyOf(mode)) && (await this.#works(mode, signal))) working.set(keyOf(mode), mode);
    }
    this.#modes = working;
    const direct = [...working.values()].map(({ source, target }) => ({ source, target, via: null }));
    return [...direct, ...pivots(direct)];
  }

  async translate(
    { source, target, via }: TranslationOffer,
    what: TranslationRequest,
    signal: AbortSignal,
  ): Promise<string> {
    const masked = maskTerms(what.text, what.glossary);
    const between = via === null ? [] : [via];
    const way = [source, ...between, target];
    let text = masked.text;
    for (let at = 1; at < way.length; at += 1) {
      const mode = this.#modes.get(keyOf({ source: way[at - 1] as string, target: way[at] as string }));
      if (mode === undefined) throw new Error(`Apertium has no mode from ${source} to ${target}`);
      text = await run(mode, text, signal);
    }
    return masked.unmask(text);
  }

  async #installed(): Promise<readonly Mode[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    return names.sort().flatMap((name) => {
      const [, from = '', to = ''] = MODE.exec(name) ?? [];
      const [source, target] = [LANGUAGES[from], LANGUAGES[to]];
      return source && target ? [{ source, target, path: join(this.#folder, name) }] : [];
    });
  }

  async #works(mode: Mode, signal: AbortSignal): Promise<boolean> {
    const trial = TRIAL[mode.source];
    if (trial === undefined) return false;
    try {
      return passes(await run(mode, trial.sentence, signal), mode.target);
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }
}

/** Lists the pairs that two steps through a third language reach and one step does not. */
function pivots(direct: readonly TranslationOffer[]): readonly TranslationOffer[] {
  const known = new Set(direct.map(keyOf));
  const found = new Map<string, TranslationOffer>();
  for (const first of direct) {
    for (const second of direct) {
      const both = { source: first.source, target: second.target, via: first.target };
      if (first.target !== second.source || both.source === both.target || known.has(keyOf(both))) continue;
      if (!found.has(keyOf(both))) found.set(keyOf(both), both);
    }
  }
  return [...found.values()];
}

async function run(mode: Mode, text: string, signal: AbortSignal): Promise<string> {
  const program = {
    program: '/bin/sh',
    args: ['-c', PIPELINE, 'sh', mode.path],
    limits: { ...LIMITS, reads: ['/etc/alternatives'] },
    name: `pair ${keyOf(mode)} of Apertium`,
  };
  const parts: Buffer[] = [];
  const line = text.replace(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS);
  for await (const part of runPiped(program, one(line), signal)) parts.push(part);
  const translated = Buffer.concat(parts).toString('utf8').replace(UNKNOWN, '').trim();
  if (translated === '' && line !== '') throw new Error(`the ${program.name} returned nothing`);
  return translated;
}

async function* one(line: string): AsyncGenerator<Buffer> {
  yield Buffer.from(`${line}\n`);
}
