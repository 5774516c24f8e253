/**
 * Parses the part of SSML that the engine renders: voices, pauses, prosody, emphasis and aliases. An element that
 * changes the delivery begins a new line.
 */
import { CONTROLS, type LineDirection, NARRATOR } from '../contract.ts';
import { markWords } from '../emphasis.ts';
import { breakMark, saysSomething } from '../spoken-text.ts';
import type { Script } from './contract.ts';
import { ScriptBuilder } from './script-builder.ts';
import { readXml } from './xml.ts';

/** The text of these elements is spoken without change. */
const PLAIN = new Set([
  'speak',
  'say-as',
  'lang',
  'w',
  'token',
  'mark',
  'desc',
  'meta',
  'metadata',
  'lexicon',
]);
const PARAGRAPHS = new Set(['p', 's']);
/** The text of these elements is not spoken. */
const SILENT = new Set(['desc', 'audio', 'meta', 'metadata', 'lexicon']);

const UNSTRESSED = new Set(['none', 'reduced']);

const RATES: Readonly<Record<string, number>> = {
  'x-slow': 0.7,
  slow: 0.85,
  medium: 1,
  default: 1,
  fast: 1.15,
  'x-fast': 1.3,
};
const PITCHES: Readonly<Record<string, number>> = {
  'x-low': 0.8,
  low: 0.9,
  medium: 1,
  default: 1,
  high: 1.1,
  'x-high': 1.25,
};
const RANGES: Readonly<Record<string, number>> = {
  'x-low': 0.5,
  low: 0.75,
  medium: 1,
  default: 1,
  high: 1.3,
  'x-high': 1.7,
};
const VOLUMES: Readonly<Record<string, number>> = {
  silent: -10,
  'x-soft': -8,
  soft: -4,
  medium: 0,
  default: 0,
  loud: 2,
  'x-loud': 4,
};
const STRENGTHS: Readonly<Record<string, number>> = {
  none: 0,
  'x-weak': 100,
  weak: 200,
  medium: 350,
  strong: 600,
  'x-strong': 1000,
};

interface Place {
  readonly voice: string | undefined;
  readonly direction: LineDirection;
  readonly silent: boolean;
  readonly stressed: boolean;
  /** The alias replaces the element's words. */
  readonly alias: string | undefined;
}

export function readSsml(text: string): Script {
  const reading = new SsmlReader();
  for (const event of readXml(text)) {
    if (event.kind === 'text') reading.text(event.text);
    else if (event.kind === 'open') reading.open(event.name, event.attributes);
    else reading.close(event.name);
  }
  return reading.end();
}

class SsmlReader {
  readonly #gathering = new ScriptBuilder();
  readonly #places: Place[] = [
    { voice: undefined, direction: {}, silent: false, stressed: false, alias: undefined },
  ];
  readonly #unknown = new Set<string>();
  #words = '';

  get #here(): Place {
    return this.#places.at(-1)!;
  }

  text(text: string): void {
    const { silent, alias, stressed } = this.#here;
    if (!silent && alias === undefined) this.#words += stressed ? markWords(text) : text;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    const here = this.#here;
    this.#reportUnknown(name);
    if (name === 'break') this.#words += breakMark(pauseOf(attributes));
    const place = placeIn(here, name, attributes);
    const changes = place.voice !== here.voice || place.direction !== here.direction;
    if (changes || PARAGRAPHS.has(name)) this.#line();
    if (place.alias !== undefined && here.alias === undefined && !here.silent)
      this.#words += here.stressed ? markWords(place.alias) : place.alias;
    this.#places.push(place);
  }

  close(name: string): void {
    const place = this.#here;
    const outer = this.#places.at(-2)!;
    if (place.voice !== outer.voice || place.direction !== outer.direction || PARAGRAPHS.has(name))
      this.#line();
    this.#places.pop();
  }

  end(): Script {
    this.#line();
    return this.#gathering.script;
  }

  #line(): void {
    const { voice, direction } = this.#here;
    const line = { speaker: (voice ?? NARRATOR).slice(0, 64), text: this.#words };
    const said = Object.keys(direction).length === 0 ? line : { ...line, direction };
    if (!saysSomething(this.#words)) this.#gathering.between(this.#words);
    else this.#gathering.add(voice === undefined ? said : { ...said, voice });
    this.#words = '';
  }

  #reportUnknown(name: string): void {
    const known = [...PLAIN, ...PARAGRAPHS, 'break', 'voice', 'prosody', 'sub', 'emphasis'];
    if (known.includes(name) || this.#unknown.has(name)) return;
    this.#unknown.add(name);
    const consequence = SILENT.has(name) ? 'is left out' : 'is not rendered; its words are spoken';
    this.#gathering.warn('ssml_not_rendered', `<${name.slice(0, 32)}> ${consequence}.`);
  }
}

function placeIn(here: Place, name: string, attributes: ReadonlyMap<string, string>): Place {
  if (SILENT.has(name)) return { ...here, silent: true };
  if (name === 'voice') return { ...here, voice: attributes.get('name') ?? here.voice };
  if (name === 'emphasis') return { ...here, stressed: !UNSTRESSED.has(attributes.get('level') ?? '') };
  if (name === 'sub') return { ...here, alias: attributes.get('alias') ?? '' };
  if (name !== 'prosody') return here;
  const direction = { ...here.direction, ...prosodyOf(attributes) };
  return { ...here, direction };
}

function prosodyOf(attributes: ReadonlyMap<string, string>): LineDirection {
  const factor = (
    name: string,
    words: Readonly<Record<string, number>>,
    control: 'pace' | 'pitch' | 'melody',
  ) => {
    const value = factorOf(attributes.get(name), words);
    return value === null ? {} : { [control]: bounded(control, value) };
  };
  const volume = decibelsOf(attributes.get('volume'));
  return {
    ...factor('rate', RATES, 'pace'),
    ...factor('pitch', PITCHES, 'pitch'),
    ...factor('range', RANGES, 'melody'),
    ...(volume === null ? {} : { energy_db: bounded('energy_db', volume) }),
  };
}

const bounded = (control: keyof typeof CONTROLS, value: number): number =>
  Math.max(CONTROLS[control].least, Math.min(CONTROLS[control].most, value));

/** Reads a name, `120%`, `+20%`, `+2st` or a number; returns null for anything else. */
function factorOf(value: string | undefined, words: Readonly<Record<string, number>>): number | null {
  if (value === undefined) return null;
  const plain = value.trim();
  if (Object.hasOwn(words, plain)) return words[plain]!;
  const { sign, number, unit } =
    /^(?<sign>[+-]?)(?<number>\d{1,4}(?:\.\d{1,4})?)(?<unit>%|st|)$/u.exec(plain)?.groups ?? {};
  if (number === undefined) return null;
  const signed = Number(`${sign}${number}`);
  if (unit === 'st') return 2 ** (signed / 12);
  if (unit === '%') return sign === '' ? signed / 100 : 1 + signed / 100;
  return sign === '' ? signed : null;
}

function decibelsOf(value: string | undefined): number | null {
  if (value === undefined) return null;
  const plain = value.trim();
  if (Object.hasOwn(VOLUMES, plain)) return VOLUMES[plain]!;
  const number = /^(?<number>[+-]\d{1,3}(?:\.\d{1,3})?)dB$/u.exec(plain)?.groups?.number;
  return number === undefined ? null : Number(number);
}

function pauseOf(attributes: ReadonlyMap<string, string>): number {
  const { number, unit } =
    /^(?<number>\d{1,6}(?:\.\d{1,3})?)(?<unit>ms|s)$/u.exec(attributes.get('time')?.trim() ?? '')?.groups ??
    {};
  if (number === undefined) return STRENGTHS[attributes.get('strength') ?? 'medium'] ?? STRENGTHS.medium!;
  return Number(number) * (unit === 's' ? 1000 : 1);
}
