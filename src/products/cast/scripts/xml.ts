/**
 * Reads XML in one pass without document type definitions: only the five predefined entities, no external ones,
 * bounded depth and size.
 */
import { ApiError } from '../../../foundation/platform/errors.ts';

export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

const DEEPEST = 32;
const LONGEST_TAG = 2_000;
const MOST_ATTRIBUTES = 16;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const refused = (message: string): ApiError => new ApiError('invalid_request', message, { param: 'script' });

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

export function* readXml(text: string): Generator<XmlEvent> {
  const open: string[] = [];
  const fail = (what: string, at: number): ApiError =>
    refused(`The SSML ${what} in line ${lineAt(text, at)}.`);
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '<') {
      const next = text.indexOf('<', at);
      const end = next < 0 ? text.length : next;
      yield { kind: 'text', text: plain(text.slice(at, end)) };
      at = end;
      continue;
    }
    const skipped = skip(text, at);
    if (skipped === -1) throw fail('has a document type or a section that is not closed', at);
    if (skipped > 0) {
      at = skipped;
      continue;
    }
    const end = text.indexOf('>', at);
    if (end < 0 || end - at > LONGEST_TAG) throw fail('has a tag that is not closed', at);
    const inside = text.slice(at + 1, end);
    for (const event of tag(inside)) {
      if (event.kind === 'open') open.push(event.name);
      if (event.kind === 'close' && open.pop() !== event.name)
        throw fail(`closes <${event.name}> that is not open`, at);
      if (open.length > DEEPEST) throw fail(`is nested deeper than ${DEEPEST}`, at);
      yield event;
    }
    at = end + 1;
  }
  if (open.length > 0) throw refused(`The SSML does not close <${open.at(-1)}>.`);
}

/**
 * Returns the position after a comment or an instruction, 0 when neither is here, and -1 for markup that is not
 * supported.
 */
function skip(text: string, at: number): number {
  const pairs = [
    ['<!--', '-->'],
    ['<?', '?>'],
  ] as const;
  for (const [from, to] of pairs) {
    if (!text.startsWith(from, at)) continue;
    const end = text.indexOf(to, at + from.length);
    return end < 0 ? -1 : end + to.length;
  }
  return text.startsWith('<!', at) ? -1 : 0;
}

function tag(inside: string): XmlEvent[] {
  if (inside.startsWith('/')) return [{ kind: 'close', name: inside.slice(1).trim() }];
  const alone = inside.endsWith('/');
  const body = alone ? inside.slice(0, -1) : inside;
  const name = /^[A-Za-z][\w:.-]{0,63}/u.exec(body)?.[0];
  if (name === undefined) throw refused('The SSML has a < that does not start a tag; write it as &lt;.');
  const open: XmlEvent = { kind: 'open', name, attributes: attributesOf(body.slice(name.length)) };
  return alone ? [open, { kind: 'close', name }] : [open];
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const { groups } of text.matchAll(
    /(?<name>[A-Za-z][\w:.-]{0,63})\s*=\s*(?:"(?<one>[^"]*)"|'(?<other>[^']*)')/gu,
  )) {
    if (attributes.size === MOST_ATTRIBUTES) throw refused('The SSML has a tag with too many attributes.');
    attributes.set(groups!.name!, plain(groups!.one ?? groups!.other ?? ''));
  }
  return attributes;
}

const plain = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,5});/giu, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const isCharacter = code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : ' ';
  });
