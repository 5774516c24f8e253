import mammoth from 'mammoth';
import { checkArchive } from './archive.ts';
import { type Parsed, Unreadable } from './blocks.ts';
import { readHtml } from './hypertext.ts';

export async function readDocx(bytes: Uint8Array): Promise<Parsed> {
  checkArchive(bytes);
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(bytes) },
      // Pictures would come as text of their bytes.
      {
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
      } as never,
    );
    const { blocks } = readHtml(Buffer.from(value));
    const title = blocks.find((block) => block.kind === 'heading');
    return { title: title?.kind === 'heading' ? title.text : null, blocks };
  } catch (cause) {
    if (cause instanceof Unreadable) throw cause;
    throw new Unreadable('The file is no Word document (.docx).', { cause });
  }
}
