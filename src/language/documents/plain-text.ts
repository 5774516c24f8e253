import { type DocumentBlock, normalizeText, type ParsedDocument, UnreadableDocument } from './blocks.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const BINARY_SHARE = 0.01;

/** Decodes UTF-8, UTF-16 by its byte order mark, else Windows-1252. */
export function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return UTF8.decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function textOf(bytes: Uint8Array): string {
  const text = decoded(bytes).replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell bytes from text.
  const binary = text.match(/[\u0000-\u0008\u000e-\u001f]/g)?.length ?? 0;
  if (binary > text.length * BINARY_SHARE)
    throw new UnreadableDocument('The file holds bytes that are no text.');
  return text;
}

export function readText(bytes: Uint8Array): ParsedDocument {
  const blocks: DocumentBlock[] = textOf(bytes)
    .split(/\n[^\S\n]*\n+/)
    .map(normalizeText)
    .filter((text) => text !== '')
    .map((text) => ({ kind: 'text', text }));
  return { title: null, blocks };
}
