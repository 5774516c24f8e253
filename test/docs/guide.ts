import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../running-server.ts';

export const FOLDER = join(root, 'docs/guides');
export const GUIDES: readonly string[] = readdirSync(FOLDER).filter((name) => name.endsWith('.md'));

export type Language = 'sh' | 'ts' | 'python';

export type Block = {
  readonly line: number;
  readonly text: string;
} /** `typed`: its language has types that a compiler can check. */ & (
  | { readonly kind: 'run'; readonly language: Language; readonly typed: boolean }
  | { readonly kind: 'output' | 'data'; readonly language: string }
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'excused'; readonly need: string }
);

const COMMANDS: Readonly<Record<string, Language>> = {
  sh: 'sh',
  bash: 'sh',
  ts: 'ts',
  js: 'ts',
  python: 'python',
};
const DATA = ['json', 'yaml', 'xml', 'html', 'ini', 'text', 'mermaid'];

/** The reasons why a block is not run. The reader sees the reason above the block, in the form of `EXCUSE`. */
export const NEEDS: readonly string[] = [
  'an account with a carrier or a provider',
  'a page in a browser',
  'a program of yours',
  'root',
  'a terminal of its own',
  'a language model’s file',
  'a voice’s files',
  'a model’s files',
  'a published release',
  'a container engine',
  'a cluster of Kubernetes',
  'an NVIDIA GPU',
];
const EXCUSE = /^\*Not run by our tests: it needs (.+)\.\*$/;

export interface Guide {
  readonly blocks: readonly Block[];
  readonly prose: string;
}

const FENCE = /^```([^\n]*)\n([\s\S]*?)^```$/gm;

export function readGuide(name: string): Guide {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  const blocks = [...text.matchAll(FENCE)].map((match): Block => {
    const before = text.slice(0, match.index);
    const above = before.trimEnd().split('\n').at(-1) ?? '';
    const line = before.split('\n').length;
    return { line, text: match[2] as string, ...kindOf(match[1] as string, above, `${name}:${line}`) };
  });
  return { blocks, prose: text.replace(FENCE, '') };
}

function kindOf(info: string, above: string, where: string) {
  const [language = '', word = ''] = info.split(' ');
  const need = EXCUSE.exec(above)?.[1];
  if (need !== undefined) {
    if (!NEEDS.includes(need)) throw new Error(`${where}: “${need}” is no reason`);
    return { kind: 'excused' as const, need };
  }
  if (word === 'output') return { kind: 'output' as const, language };
  if (word !== '') return { kind: 'file' as const, name: word };
  const command = Object.hasOwn(COMMANDS, language) ? COMMANDS[language] : undefined;
  if (command !== undefined) return { kind: 'run' as const, language: command, typed: language === 'ts' };
  if (!DATA.includes(language)) throw new Error(`${where}: a block says no language that is known`);
  return { kind: 'data' as const, language };
}
