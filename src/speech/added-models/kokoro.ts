import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { EngineVoice } from '../../media/engine/index.ts';
import { AddedModelError } from './errors.ts';
import { type FileKind, kindOfFile } from './kind.ts';
import { type KokoroVoice, MODEL_NAME, slug } from './lock.ts';

/** Kokoro names its voices by language and gender: `af_heart` is an American woman. */
const LANGUAGES: Readonly<Record<string, Pick<KokoroVoice, 'language' | 'region' | 'accent'>>> = {
  a: { language: 'en', region: 'us', accent: 'en-us' },
  b: { language: 'en', region: 'gb', accent: 'en-gb' },
  e: { language: 'es', region: null, accent: 'es' },
  f: { language: 'fr', region: 'fr', accent: 'fr-fr' },
  h: { language: 'hi', region: 'in', accent: 'hi' },
  i: { language: 'it', region: 'it', accent: 'it' },
  p: { language: 'pt', region: 'br', accent: 'pt-br' },
  j: { language: 'ja', region: 'jp', accent: 'ja' },
  z: { language: 'zh', region: 'cn', accent: 'zh' },
};
const NAMED = /^([a-z])([fm])_/;

/** The recipe tells the forms by these ends. */
const FORMS: Partial<Record<FileKind, string>> = { styles: 'bin', 'style-tensor': 'pt', npz: 'npz' };

export interface KokoroFiles {
  readonly inputs: readonly { readonly from: string; readonly as: string }[];
  readonly name: string;
}

/** Returns null where no file is a style table. A table's name is its file's, because its bytes do not tell the language. */
export function kokoroStylesIn(paths: readonly string[]): KokoroFiles | null {
  const inputs = paths.flatMap((from) => {
    const form = FORMS[kindOfFile(from)];
    if (form === undefined) return [];
    const stem = slug(basename(from).replace(/\.(bin|pt|npz)$/i, ''));
    return [{ from, as: `${stem}.${form}` }];
  });
  const [first] = inputs;
  if (first === undefined) return null;
  const stem = first.as.replace(/\.\w+$/, '').replace(NAMED, '');
  const name = inputs.length > 1 || first.as.endsWith('.npz') ? 'kokoro' : stem;
  return { inputs, name: MODEL_NAME.test(name) ? name : `kokoro_${name}`.slice(0, 64) };
}

const Listed = Type.Array(Type.Object({ name: Type.String(), style: Type.String() }));

/** The recipe writes the names. Throws where no voice is of a language that Kokoro speaks here. */
export function kokoroVoices(folder: string): readonly KokoroVoice[] {
  const listed = Value.Parse(Listed, JSON.parse(readFileSync(join(folder, 'voices.json'), 'utf8')));
  const voices = listed.flatMap(({ name, style }): KokoroVoice[] => {
    const [, letter = '', gender] = NAMED.exec(name) ?? [];
    const spoken = LANGUAGES[letter];
    if (spoken === undefined) return [];
    return [{ name, style, ...spoken, gender: gender === 'f' ? 'female' : 'male' }];
  });
  if (voices.length === 0)
    throw new AddedModelError(
      `${listed.map(({ name }) => name).join(', ')}: the name tells no language that Kokoro speaks here. Name the file as Kokoro does, af_NAME.bin or af_NAME.pt: a b (English), e (Spanish), f (French), h (Hindi), i (Italian), p (Portuguese), j (Japanese), z (Chinese), then f or m`,
    );
  return voices;
}

export const engineVoiceOf = ({ language, accent, style }: KokoroVoice): EngineVoice => ({
  model: 'kokoro',
  language,
  accent,
  styles: [{ name: style, share: 1 }],
});

export function titleOfKokoro(voices: readonly KokoroVoice[]): string {
  const languages = [...new Set(voices.map(({ language }) => language))].join(', ');
  return `Kokoro ${voices.length === 1 ? 'voice' : `voices, ${voices.length}`}, ${languages}`;
}
