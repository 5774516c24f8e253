import mammoth from 'mammoth';
import { checkArchive } from './archive.ts';
import { type ParsedDocument, UnreadableDocument } from './blocks.ts';
import { readHtml } from './html.ts';

export async function readDocx(bytes: Uint8Array): Promise<ParsedDocument> {
  checkArchive(bytes);
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(bytes) },
      // mammoth would include images as base64 text.
      {
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
      } as never,
    );
    const { blocks } = readHtml(Buffer.from(value));
    const title = blocks.find((block) => block.kind === 'heading');
    return { title: title?.kind === 'heading' ? title.text : null, blocks };
  } catch (cause) {
    if (cause instanceof UnreadableDocument) throw cause;
    throw new UnreadableDocument('The file is no Word document (.docx).', { cause });
  }
}
