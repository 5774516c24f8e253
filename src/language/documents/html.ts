import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { type DocumentBlock, normalizeText, type ParsedDocument, UnreadableDocument } from './blocks.ts';
import { blocksOfDom, type DomElement } from './dom-blocks.ts';
import { decoded } from './plain-text.ts';

interface Page extends DomElement {
  readonly title: string;
  readonly body: Removable;
  readonly documentElement: Removable | null;
  querySelector(selector: string): Removable | null;
  querySelectorAll(selector: string): Iterable<Removable>;
  cloneNode(deep: boolean): Page;
}
interface Removable extends DomElement {
  remove(): void;
}

const HIDDEN =
  'script, style, noscript, template, iframe, object, embed, [hidden], [aria-hidden="true"], input, select, textarea, button, dialog:not([open])';
const HIDING =
  /display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*0(\.0+)?\s*(;|$|!)|font-size\s*:\s*0(?![.\d]*[1-9])|(left|top|text-indent)\s*:\s*-\d{3,}|clip(-path)?\s*:\s*(rect\(0|inset\((50|100)%)|(^|;)\s*(max-)?(height|width)\s*:\s*[01](px)?\s*(;|$)|color\s*:\s*transparent/i;
const COLOUR = /(?:^|;)\s*color\s*:\s*([^;]+)/i;
const GROUND = /background(?:-color)?\s*:\s*([^;]+)/i;
const MOST_LINKS = 5_000;
const LONGEST_LINK = 2_048;
/** The value is a share of the page's text; when Readability keeps less, its result is wrong. */
const LEAST_SHARE = 0.3;

const hides = (style: string): boolean => {
  if (HIDING.test(style)) return true;
  const colour = COLOUR.exec(style)?.[1]?.trim().toLowerCase();
  const ground = GROUND.exec(style)?.[1]?.trim().toLowerCase();
  return colour !== undefined && colour === ground;
};

export function readHtml(bytes: Uint8Array): ParsedDocument {
  const page = parseHTML(markupOf(bytes)).document as unknown as Page;
  const asks = asksOf(page);
  const links = /\b(nofollow|none)\b/.test(asks) ? [] : linksOf(page);
  const base = page.querySelector('base[href]')?.getAttribute('href') ?? null;
  const unlisted = /\b(noindex|none)\b/.test(asks);
  const canonical = page.querySelector('link[rel~="canonical"]')?.getAttribute('href') ?? null;
  for (const element of page.querySelectorAll(HIDDEN)) element.remove();
  for (const element of page.querySelectorAll('[style]'))
    if (hides(element.getAttribute('style') ?? '')) element.remove();
  const title = normalizeText(page.querySelector('title')?.textContent ?? '') || null;
  return { title, blocks: mainBlocks(page), links, canonical, base, unlisted };
}

/** Only elements with an explicit end count for the depth of a page. */
const NESTING = /<(\/?)(?:div|span|section|article|table|ul|ol|blockquote|font|b|i|em|strong|a|dl|form)\b/gi;
const DEEPEST = 300;

/** Recursive code would exhaust the stack on a deeper page. */
function checkDepth(markup: string): void {
  let depth = 0;
  for (const [, end] of markup.matchAll(NESTING)) {
    depth = Math.max(0, depth + (end === '/' ? -1 : 1));
    if (depth > DEEPEST) throw new UnreadableDocument('The page nests its parts too deeply to be read.');
  }
}

function markupOf(bytes: Uint8Array): string {
  const text = decoded(bytes);
  checkDepth(text);
  return /<html[\s>]/i.test(text) ? text : `<!doctype html><html><head></head><body>${text}</body></html>`;
}

function mainBlocks(page: Page): DocumentBlock[] {
  const whole = blocksOfDom(page.body);
  const article = articleOf(page);
  return sizeOf(article) >= LEAST_SHARE * sizeOf(whole) ? article : whole;
}

function articleOf(page: Page): DocumentBlock[] {
  const reader = new Readability<DomElement>(page.cloneNode(true) as never, {
    serializer: (node) => node as unknown as DomElement,
  });
  const content = reader.parse()?.content;
  return content ? blocksOfDom(content) : [];
}

const sizeOf = (blocks: readonly DocumentBlock[]): number =>
  blocks.reduce(
    (sum, block) => sum + (block.kind === 'table' ? block.rows.flat().join('').length : block.text.length),
    0,
  );

function asksOf(page: Page): string {
  const metas = [...page.querySelectorAll('meta[name]')];
  return metas
    .filter((meta) => meta.getAttribute('name')?.toLowerCase() === 'robots')
    .map((meta) => meta.getAttribute('content')?.toLowerCase() ?? '')
    .join(',');
}

function linksOf(page: Page): string[] {
  const links = new Set<string>();
  for (const anchor of page.querySelectorAll('a[href]')) {
    if (links.size >= MOST_LINKS) break;
    const href = anchor.getAttribute('href') as string;
    if (href.length <= LONGEST_LINK && !/\bnofollow\b/i.test(anchor.getAttribute('rel') ?? ''))
      links.add(href);
  }
  return [...links];
}
