import type { DocumentFormat, ParsedDocument } from './blocks.ts';

/** The libraries load on demand, because each costs time and memory. */
export async function parseDocument(bytes: Uint8Array, format: DocumentFormat): Promise<ParsedDocument> {
  switch (format) {
    case 'txt':
      return (await import('./plain-text.ts')).readText(bytes);
    case 'md':
      return (await import('./markdown.ts')).readMarkdown(bytes);
    case 'csv':
      return (await import('./csv.ts')).readCsv(bytes);
    case 'html':
      return (await import('./html.ts')).readHtml(bytes);
    case 'docx':
      return await (await import('./docx.ts')).readDocx(bytes);
    case 'pdf':
      return await (await import('./pdf.ts')).readPdf(bytes);
  }
}
