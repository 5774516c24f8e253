import type { Blobs } from './blobs.ts';
import { FolderBlobs } from './folder.ts';
import { S3Blobs, type S3Options } from './s3.ts';

export type BlobsOptions = { readonly folder: string } | { readonly s3: S3Options };

export const openBlobs = async (options: BlobsOptions): Promise<Blobs> =>
  's3' in options ? new S3Blobs(options.s3) : await FolderBlobs.open(options.folder);
