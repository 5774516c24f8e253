/** The searched texts are the project's documentation, and the Jargon File, which is in the public domain. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { OF_DOCS, OF_JARGON } from './questions.ts';

export interface Text {
  readonly title: string;
  readonly text: string;
}

export interface Question {
  readonly of: 'docs' | 'jargon';
  readonly text: string;
  readonly phrase: string;
}

export const CACHE = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'trunkline/bench-knowledge',
);
const PACKAGE = 'jargon-text';
const FILE = `usr/share/doc/${PACKAGE}/jargon.txt.gz`;
const ENTRY = /^ {3}:([^:]+(?::[^:\s]+)*):(?: .*)?$/;
const PHRASE_WORDS = 8;
/** Matches what precedes a meaning: the origin of the word, the number of the meaning and the part of speech. */
const PREFACE = /^(?:\[[^\]]*\]|\d+\.|(?:n|v|vi|vt|adj|adv|interj)\.|,|\s)+/;

export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

export function docs(): Text[] {
  return ['docs', 'docs/decisions', 'docs/guides'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => ({ title: join(folder, name), text: readFileSync(join(folder, name), 'utf8') })),
  );
}

function jargonFile(): string {
  const path = join(CACHE, FILE);
  if (!existsSync(path)) {
    mkdirSync(CACHE, { recursive: true });
    execFileSync('apt-get', ['download', PACKAGE], { cwd: CACHE, stdio: 'ignore' });
    const archive = readdirSync(CACHE).find((name) => name.startsWith(`${PACKAGE}_`));
    execFileSync('dpkg-deb', ['-x', join(CACHE, archive as string), CACHE]);
  }
  return gunzipSync(readFileSync(path)).toString('utf8');
}

function entries(): Map<string, string> {
  const found = new Map<string, string[]>();
  let lines: string[] | null = null;
  for (const line of jargonFile().split('\n')) {
    const name = ENTRY.exec(line)?.[1];
    if (name !== undefined) {
      lines = found.get(name) ?? [];
      found.set(name, lines);
    } else if (line !== '' && !line.startsWith('   ')) lines = null;
    else lines?.push(line.trim().replaceAll(/[{}]/g, ''));
  }
  return new Map([...found].map(([name, said]) => [name, said.join('\n').trim()]));
}

export function jargon(): Text[] {
  const letters = new Map<string, string[]>();
  for (const [name, text] of entries()) {
    const letter = /^[a-z]/i.exec(name)?.[0].toUpperCase() ?? '0';
    const said = letters.get(letter) ?? [`# Jargon File: ${letter}`];
    said.push(`## ${name}`, text);
    letters.set(letter, said);
  }
  return [...letters].map(([letter, said]) => ({ title: `Jargon File, ${letter}`, text: said.join('\n\n') }));
}

/** Throws where a text no longer has a question's phrase. */
export function questions(texts: readonly Text[]): Question[] {
  const all = entries();
  const asked: Question[] = [
    ...OF_DOCS.map(([text, phrase]) => ({ of: 'docs' as const, text, phrase: plain(phrase) })),
    ...OF_JARGON.map(([text, entry]) => {
      const body = plain((all.get(entry) ?? '').replace(PREFACE, ''));
      return { of: 'jargon' as const, text, phrase: body.split(' ').slice(0, PHRASE_WORDS).join(' ') };
    }),
  ];
  const said = texts.map(({ text }) => plain(text));
  const lost = asked.filter(({ phrase }) => phrase === '' || !said.some((text) => text.includes(phrase)));
  if (lost.length > 0) throw new Error(`no text answers: ${lost.map(({ text }) => text).join(' | ')}`);
  return asked;
}
