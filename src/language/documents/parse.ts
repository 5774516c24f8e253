import type { Format, Parsed } from './blocks.ts';

/** Reads a document. The libraries are loaded when they are needed: each costs time and memory. */
export async function parse(bytes: Uint8Array, format: Format): Promise<Parsed> {
  switch (format) {
    case 'txt':
      return (await import('./plain-text.ts')).readText(bytes);
    case 'md':
      return (await import('./markdown.ts')).readMarkdown(bytes);
    case 'csv':
      return (await import('./comma-separated.ts')).readCsv(bytes);
    case 'html':
      return (await import('./hypertext.ts')).readHtml(bytes);
    case 'docx':
      return await (await import('./word-processor.ts')).readDocx(bytes);
    case 'pdf':
      return await (await import('./portable-document.ts')).readPdf(bytes);
  }
}
