import { getDocumentProxy } from 'unpdf';
import { type Block, type Parsed, tidy, Unreadable } from './blocks.ts';
import { linesOf, type PlacedText } from './page-lines.ts';

const MOST_PAGES = 2_000;
/** Characters on a page below which it is taken for a picture. */
const LEAST_CHARACTERS = 8;

export async function readPdf(bytes: Uint8Array): Promise<Parsed> {
  const document = await openPdf(bytes);
  if (document.numPages > MOST_PAGES)
    throw new Unreadable(`The document has ${document.numPages} pages; ${MOST_PAGES} are read at most.`);
  const blocks: Block[] = [];
  let characters = 0;
  for (let page = 1; page <= document.numPages; page += 1) {
    const { items } = await (await document.getPage(page)).getTextContent();
    const found = linesOf(items as PlacedText[], page);
    blocks.push(...found);
    for (const block of found) characters += block.kind === 'table' ? 1 : block.text.length;
  }
  if (characters < LEAST_CHARACTERS * document.numPages) {
    throw new Unreadable('The document holds pictures of pages and no text: it was scanned.');
  }
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  return { title: tidy(String((info as { Title?: string }).Title ?? '')) || null, blocks };
}

/** Throws Unreadable. */
export async function openPdf(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { stopAtErrors: false });
  } catch (cause) {
    const { name } = cause as Error;
    if (name === 'PasswordException') throw new Unreadable('The document is encrypted.', { cause });
    throw new Unreadable('The file is no whole PDF.', { cause });
  }
}
