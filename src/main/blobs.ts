import { join } from 'node:path';
import type { Config } from '../foundation/platform/config/index.ts';
import type { BlobsOptions } from '../foundation/storage/index.ts';

export function blobsOptions(config: Config): BlobsOptions {
  if (config.s3Bucket === null) return { folder: join(config.data, 'blobs') };
  return {
    s3: {
      bucket: config.s3Bucket,
      region: config.s3Region,
      endpoint: config.s3Endpoint ?? undefined,
      accessKeyId: config.s3AccessKeyId ?? undefined,
      secretAccessKey: config.s3SecretAccessKey ?? undefined,
    },
  };
}
