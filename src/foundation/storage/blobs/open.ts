import type { Blobs } from './blobs.ts';
import { FolderBlobs } from './folder.ts';
import type { S3Options } from './s3.ts';

export type BlobsOptions = { readonly folder: string } | { readonly s3: S3Options };

export async function openBlobs(options: BlobsOptions): Promise<Blobs> {
  if ('folder' in options) return FolderBlobs.open(options.folder);
  const { S3Blobs } = await import('./s3.ts'); // its client is slow to load, and most machines keep a folder
  return new S3Blobs(options.s3);
}
