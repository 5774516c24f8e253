import { marked, type Token, type Tokens } from 'marked';
import { type DocumentBlock, normalizeText, type ParsedDocument } from './blocks.ts';
import { textOf } from './plain-text.ts';

/** Front matter lies between two lines of dashes at the very start, and is metadata. */
const FRONT_MATTER = /^---\n[\s\S]*?\n---\n/;

export function readMarkdown(bytes: Uint8Array): ParsedDocument {
  const tokens = marked.lexer(textOf(bytes).replace(FRONT_MATTER, ''));
  const blocks = tokens.flatMap(blocksOf);
  const title = blocks.find((block) => block.kind === 'heading' && block.level === 1);
  return { title: title?.kind === 'heading' ? title.text : null, blocks };
}

function blocksOf(token: Token): DocumentBlock[] {
  switch (token.type) {
    case 'heading':
      return [{ kind: 'heading', level: token.depth, text: plain(token) }];
    case 'paragraph':
    case 'text':
      return textBlock(plain(token));
    case 'code':
      return textBlock(tidyLines(token.text));
    case 'blockquote':
      return (token.tokens ?? []).flatMap(blocksOf);
    case 'list':
      return textBlock((token as Tokens.List).items.map((item) => `- ${itemText(item)}`).join('\n'));
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [{ kind: 'table', rows: [header, ...rows].map((row) => row.map((cell) => plain(cell))) }];
    }
    default:
      return [];
  }
}

const textBlock = (text: string): DocumentBlock[] => (text === '' ? [] : [{ kind: 'text', text }]);

const itemText = (item: Tokens.ListItem): string =>
  item.tokens
    .flatMap(blocksOf)
    .map((block) => (block.kind === 'table' ? '' : block.text))
    .join('\n');

const tidyLines = (text: string): string => text.split('\n').map(normalizeText).join('\n').trim();

function plain(token: Token | Tokens.TableCell): string {
  return normalizeText(
    inline('tokens' in token ? token.tokens : undefined, 'text' in token ? token.text : ''),
  );
}

function inline(tokens: readonly Token[] | undefined, text: string): string {
  if (tokens === undefined) return decodeEntities(text);
  return tokens
    .map((token) => {
      if (token.type === 'br') return '\n';
      if (token.type === 'html') return '';
      return inline('tokens' in token ? token.tokens : undefined, 'text' in token ? String(token.text) : '');
    })
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};
const decodeEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
