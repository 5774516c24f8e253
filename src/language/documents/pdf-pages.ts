import { extractImages, type getDocumentProxy } from 'unpdf';
import { hasActiveContent } from './active-content.ts';
import { UnreadableDocument } from './blocks.ts';
import { openPdf } from './pdf.ts';
import {
  ACTIVE_CONTENT,
  type BoundingBox,
  type PageImage,
  type PositionedPage,
  type PositionedWord,
  TOO_MANY_PAGES,
  TOO_MANY_WORDS,
} from './positioned-text.ts';

const MOST_PAGES = 12;
const MOST_PAGE_WORDS = 3_000;
const MOST_WORDS = 12_000;
/** No value of a form has a longer word. */
const MOST_WORD_CHARACTERS = 100;
const MOST_PIXELS = 20_000_000;
const LEAST_CHARACTERS = 8;

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Document['getPage']>>;

/** Returns the pages of a PDF with their words in file order. Throws UnreadableDocument. */
export async function readPages(bytes: Uint8Array): Promise<PositionedPage[]> {
  const document = await openPdf(bytes);
  if (document.numPages > MOST_PAGES) throw new UnreadableDocument(TOO_MANY_PAGES);
  await refuseActive(document, bytes);
  const pages: PositionedPage[] = [];
  let words = 0;
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await readPage(document, await document.getPage(number), number);
    words += page.words.length;
    if (words > MOST_WORDS) throw new UnreadableDocument(TOO_MANY_WORDS);
    pages.push(page);
  }
  return pages;
}

/** Returns the image of a page, or null where it has none. Throws UnreadableDocument. */
export async function readPageImage(bytes: Uint8Array, number: number): Promise<PageImage | null> {
  return await pageImageOf(await openPdf(bytes), number);
}

async function refuseActive(document: Document, bytes: Uint8Array): Promise<void> {
  if (hasActiveContent(bytes)) throw new UnreadableDocument(ACTIVE_CONTENT);
  const attached = (await document.getAttachments()) as object | null;
  const acts = (await document.hasJSActions()) || (await document.getOpenAction()) !== null;
  if (acts || (attached !== null && Object.keys(attached).length > 0))
    throw new UnreadableDocument(ACTIVE_CONTENT);
}

async function readPage(document: Document, page: Page, number: number): Promise<PositionedPage> {
  const view = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent();
  const words = items.flatMap((item) => ('str' in item ? wordsOf(item as Run, view) : []));
  if (words.length > MOST_PAGE_WORDS) throw new UnreadableDocument(TOO_MANY_WORDS);
  const characters = words.reduce((sum, { text }) => sum + text.length, 0);
  const picture = characters < LEAST_CHARACTERS ? await pageImageOf(document, number) : null;
  return { ratio: view.height / view.width, words, picture };
}

interface Run {
  readonly str: string;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
}

interface View {
  readonly width: number;
  readonly height: number;
  convertToViewportPoint(x: number, y: number): readonly unknown[];
}

/** Each word gets a share of the run's width by its characters. */
function wordsOf({ str, width, height, transform }: Run, view: View): PositionedWord[] {
  const [, , , , x = 0, y = 0] = transform;
  const share = width / Math.max(1, str.length);
  return [...str.matchAll(/\S+/g)].map(({ 0: text, index }) => {
    const left = x + index * share;
    const [x0, y0] = view.convertToViewportPoint(left, y) as [number, number];
    const [x1, y1] = view.convertToViewportPoint(left + text.length * share, y + height) as [number, number];
    return { text: text.slice(0, MOST_WORD_CHARACTERS), place: placeOf(x0, y0, x1, y1, view) };
  });
}

const placeOf = (x0: number, y0: number, x1: number, y1: number, { width, height }: View): BoundingBox => [
  within(Math.min(x0, x1) / width),
  within(Math.min(y0, y1) / height),
  within(Math.max(x0, x1) / width),
  within(Math.max(y0, y1) / height),
];

const within = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 10_000;

async function pageImageOf(document: Document, number: number): Promise<PageImage | null> {
  const images = await extractImages(document, number);
  const [largest] = [...images].sort((a, b) => b.width * b.height - a.width * a.height);
  if (largest === undefined) return null;
  const { width, height, channels, data } = largest;
  if (width * height > MOST_PIXELS) throw new UnreadableDocument(TOO_MANY_PAGES);
  const grey = new Uint8Array(width * height);
  for (let at = 0; at < grey.length; at += 1) {
    const from = at * channels;
    grey[at] =
      channels < 3 ? data[from]! : (data[from]! * 299 + data[from + 1]! * 587 + data[from + 2]! * 114) / 1000;
  }
  return { width, height, grey };
}
