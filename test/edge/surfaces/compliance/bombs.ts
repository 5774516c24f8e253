import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { assembled, type Placed, pdfOf } from '../../../../bench/compliance/pdf.ts';

const MEGABYTE = 1024 * 1024;
const line: Placed = { text: 'Bill Date: 2026-11-01', x: 60, y: 90, size: 11 };

const pdf = (...objects: readonly (string | Buffer)[]): Buffer =>
  assembled(objects.map((each) => (typeof each === 'string' ? Buffer.from(each, 'latin1') : each)));
const stream = (head: string, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${head} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGES = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const pageWith = (content: string, resources = ''): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${content} /Resources << ${resources} >> >>`;
const SAID = stream('', Buffer.from('BT /F 11 Tf 60 700 Td (Bill Date: 2026-11-01) Tj ET'));
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

/** Deflates one megabyte of blanks and repeats the piece, which a full flush makes possible. */
function blanks(megabytes: number): Buffer {
  const options = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  const piece = deflateRawSync(Buffer.alloc(MEGABYTE, ' '), options);
  return Buffer.concat([
    Buffer.from([0x78, 0xda]),
    ...Array.from({ length: megabytes }, () => piece),
    Buffer.from([0x03, 0x00]),
  ]);
}

/** A gigabyte of text is deflated twice, into a few kilobytes. */
export const textBomb = (): Buffer =>
  pdf(
    CATALOG,
    PAGES,
    pageWith('4 0 R'),
    stream('/Filter [/FlateDecode /FlateDecode]', deflateSync(blanks(1024))),
  );

/** The object directory itself unpacks to a gigabyte. */
export const objectBomb = (): Buffer =>
  pdf(
    CATALOG,
    PAGES,
    pageWith('4 0 R'),
    stream('/Type /ObjStm /N 1000000 /First 9000000 /Filter /FlateDecode', blanks(1024)),
  );

export const pictureBomb = (side: number): Buffer =>
  pdf(
    CATALOG,
    PAGES,
    pageWith('4 0 R', '/XObject << /I 5 0 R >>'),
    stream('', Buffer.from('q 595 0 0 842 0 0 cm /I Do Q')),
    stream(
      `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode`,
      blanks(1024),
    ),
  );

export const manyPages = (count: number): Buffer => pdfOf(Array.from({ length: count }, () => [line]));

const saidPages = (count: number): Buffer =>
  pdf(CATALOG, `<< /Type /Pages /Kids [3 0 R] /Count ${count} >>`, pageWith('4 0 R'), SAID);

/** Ten nodes of a page tree, each of which has the next one ten times, make 10^10 pages. */
export function pageTree(): Buffer {
  const knots = Array.from({ length: 10 }, (_each, at) => {
    const kids = `${at + 3} 0 R `.repeat(10);
    return `<< /Type /Pages /Kids [${kids}] /Count ${10 ** (10 - at)} >>`;
  });
  return pdf(CATALOG, ...knots, pageWith('13 0 R'), SAID);
}

export const nested = (depth: number): Buffer =>
  pdf(CATALOG, PAGES, pageWith('4 0 R', `/Deep ${'['.repeat(depth)}${']'.repeat(depth)}`), SAID);
export const nestedText = (depth: number): Buffer =>
  pdf(CATALOG, PAGES, pageWith('4 0 R'), stream('', Buffer.from('<< /A '.repeat(depth))));

export const LOOPS: Readonly<Record<string, () => Buffer>> = {
  'one page of the thousands of millions that it says': () => saidPages(2_000_000_000),
  'pages that are their own child': () => pdf(CATALOG, '<< /Type /Pages /Kids [2 0 R] /Count 1 >>'),
  'pages that are each other’s': () =>
    pdf(
      CATALOG,
      '<< /Type /Pages /Kids [3 0 R] /Count 2 >>',
      '<< /Type /Pages /Kids [2 0 R] /Parent 2 0 R /Count 2 >>',
    ),
  'contents that are themselves': () => pdf(CATALOG, PAGES, pageWith('[4 0 R]'), '[4 0 R]'),
  'a form that draws itself': () =>
    pdf(
      CATALOG,
      PAGES,
      pageWith('4 0 R', '/XObject << /X 5 0 R >>'),
      stream('', Buffer.from('/X Do')),
      stream(
        '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>',
        Buffer.from('/X Do /X Do'),
      ),
    ),
  'a length that is its own stream': () =>
    pdf(CATALOG, PAGES, pageWith('4 0 R'), '<< /Length 4 0 R >>\nstream\nBT ET\nendstream'),
  'a parent that is its child': () =>
    pdf(
      CATALOG,
      '<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 3 0 R >>',
      '<< /Type /Page /Parent 3 0 R /Contents 4 0 R >>',
      SAID,
    ),
  'objects in the stream that they are': () =>
    pdf(
      CATALOG,
      PAGES,
      pageWith('4 0 R'),
      stream('/Type /ObjStm /N 1 /First 4 /Extends 4 0 R', Buffer.from('4 0 << >>')),
    ),
  'tables that follow each other for ever': () => {
    const whole = pdf(CATALOG, PAGES, pageWith('4 0 R'), SAID).toString('latin1');
    const at = whole.lastIndexOf('xref\n0');
    return Buffer.from(whole.replace(/\/Root 1 0 R/, `/Root 1 0 R /Prev ${at}`), 'latin1');
  },
};

const withObject = (object: string | Buffer, page = '', catalog = ''): Buffer =>
  pdf(
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    PAGES,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> ${page} >>`,
    SAID,
    FONT,
    object,
  );
const SCRIPT = '<< /S /JavaScript /JS (app.alert\\(1\\)) >>';
const packed = (): Buffer => {
  const head = '7 0 ';
  return stream(
    `/Type /ObjStm /N 1 /First ${head.length} /Filter /FlateDecode`,
    deflateSync(Buffer.from(`${head}${SCRIPT}`)),
  );
};

export const ACTING: Readonly<Record<string, () => Buffer>> = {
  'a script when it opens': () => withObject(SCRIPT, '', '/OpenAction 6 0 R'),
  'a script by name': () => withObject(SCRIPT, '', '/Names << /JavaScript << /Names [(a) 6 0 R] >> >>'),
  'a script when it is printed': () => withObject(SCRIPT, '', '/AA << /WP 6 0 R >>'),
  'a script when the page is shown': () => withObject(SCRIPT, '/AA << /O 6 0 R >>'),
  'a script of a link': () =>
    withObject(SCRIPT, '/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A 6 0 R >>]'),
  'a script of a field': () =>
    withObject(
      SCRIPT,
      '/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /Rect [0 0 9 9] /AA << /K 6 0 R >> >>]',
    ),
  'a script whose name is written otherwise': () =>
    withObject(SCRIPT.replace('/JavaScript', '/J#61va#53cript'), '/AA << /O 6 0 R >>'),
  'a script that is packed': () => withObject(packed()),
  'a program that is started': () =>
    withObject('<< /S /Launch /F (cmd.exe) >>', '/Annots [<< /Subtype /Link /Rect [0 0 9 9] /A 6 0 R >>]'),
  'a form that is sent': () => withObject('<< /S /SubmitForm /F (http://a.b) >>', '/AA << /O 6 0 R >>'),
  'a film': () =>
    withObject('<< >>', '/Annots [<< /Subtype /RichMedia /Rect [0 0 9 9] /RichMediaContent 6 0 R >>]'),
  'a file inside': () =>
    withObject(
      stream('/Type /EmbeddedFile', Buffer.from('MZ')),
      '',
      '/Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a) /EF << /F 6 0 R >> >>] >> >>',
    ),
};
export const harmless = (): Buffer => withObject('<< >>');
