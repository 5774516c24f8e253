import './array-buffer-polyfill.ts';
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { type DocumentBlock, normalizeText, type ParsedDocument, UnreadableDocument } from './blocks.ts';
import { type PlacedText, textLinesOf } from './page-lines.ts';

const MOST_PAGES = 2_000;
const LEAST_CHARACTERS = 8;
const NO_TITLE = /^untitled\b/i;

export async function readPdf(bytes: Uint8Array): Promise<ParsedDocument> {
  const document = await openPdf(bytes);
  if (document.numPages > MOST_PAGES)
    throw new UnreadableDocument(
      `The document has ${document.numPages} pages; ${MOST_PAGES} are read at most.`,
    );
  const blocks: DocumentBlock[] = [];
  const pictured: number[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const found = textLinesOf(items as PlacedText[], number);
    blocks.push(...found);
    const characters = found.reduce((sum, one) => sum + (one.kind === 'table' ? 99 : one.text.length), 0);
    if (characters < LEAST_CHARACTERS && (await showsPicture(page))) pictured.push(number);
  }
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const title = normalizeText(String((info as { Title?: string }).Title ?? ''));
  return { title: title === '' || NO_TITLE.test(title) ? null : title, blocks, pictured };
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

async function showsPicture(page: Page): Promise<boolean> {
  const { OPS } = await getResolvedPDFJS();
  const shows: readonly number[] = [
    OPS.paintImageXObject,
    OPS.paintInlineImageXObject,
    OPS.paintImageMaskXObject,
  ];
  const { fnArray } = await page.getOperatorList();
  return fnArray.some((operation) => shows.includes(operation));
}

export async function openPdf(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { stopAtErrors: false });
  } catch (cause) {
    const { name } = cause as Error;
    if (name === 'PasswordException') throw new UnreadableDocument('The document is encrypted.', { cause });
    throw new UnreadableDocument('The file is no whole PDF.', { cause });
  }
}
