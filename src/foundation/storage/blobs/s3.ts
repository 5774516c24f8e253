import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { BlobStoreError, storageFaultOf } from '../../platform/storage-fault.ts';
import type { StoragePart } from '../storage.ts';
import type { BlobBody, BlobInfo, Blobs, ByteRange, ByteSource, PutOptions, PutResult } from './blobs.ts';
import { CountingSource } from './counting-source.ts';
import { type BlobKey, checkArea, checkKey, checkOwner } from './key.ts';

export interface S3Options {
  readonly bucket: string;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly prefix?: string | undefined;
}

/** A put holds at most two parts of 8 MiB in memory. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_IN_FLIGHT = 2;
const DELETED_AT_ONCE = 1000;

const isMissing = (error: unknown): boolean => {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return name === 'NoSuchKey' || name === 'NotFound' || $metadata?.httpStatusCode === 404;
};

/** Returns null unless the error comes from the store or the network to it. */
const storeError = (error: unknown): BlobStoreError | null =>
  error instanceof S3ServiceException || storageFaultOf(error) !== null ? new BlobStoreError(error) : null;

function clientOf(options: S3Options): S3Client {
  const { endpoint, accessKeyId, secretAccessKey } = options;
  return new S3Client({
    region: options.region ?? 'us-east-1',
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    // Compatible stores differ in which checksum trailers they read; TLS and our own sha256 cover the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

export class S3Blobs implements Blobs {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(options: S3Options) {
    this.#client = clientOf(options);
    this.#bucket = options.bucket;
    this.#prefix = options.prefix ? `${options.prefix.replace(/\/+$/, '')}/` : '';
  }

  async put(key: BlobKey, source: ByteSource, options: PutOptions): Promise<PutResult> {
    const counted = new CountingSource(source, options);
    if (Array.isArray(source)) return await this.#putAtOnce(key, counted, options);
    const body = Readable.from(counted, { objectMode: false, highWaterMark: 256 * 1024 });
    const upload = new Upload({
      client: this.#client,
      params: {
        Bucket: this.#bucket,
        Key: this.#path(key),
        Body: body,
        ContentType: options.contentType ?? 'application/octet-stream',
      },
      partSize: PART_BYTES,
      queueSize: PARTS_IN_FLIGHT,
    });
    try {
      await upload.done();
    } catch (error) {
      body.destroy();
      await upload.abort().catch(() => {});
      throw storeError(error) ?? error;
    }
    return counted.result();
  }

  /** The signal ends the request of bytes that are in memory, however long the store says nothing. */
  async #putAtOnce(key: BlobKey, source: CountingSource, options: PutOptions): Promise<PutResult> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) chunks.push(chunk);
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: this.#path(key),
      Body: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks),
      ContentType: options.contentType ?? 'application/octet-stream',
    });
    try {
      await this.#client.send(command, options.signal === undefined ? {} : { abortSignal: options.signal });
    } catch (error) {
      throw storeError(error) ?? error;
    }
    return source.result();
  }

  async get(key: BlobKey, range?: ByteRange): Promise<BlobBody | null> {
    try {
      const answer = await this.#send(
        new GetObjectCommand({
          Bucket: this.#bucket,
          Key: this.#path(key),
          ...(range ? { Range: `bytes=${range.first}-${range.last ?? ''}` } : {}),
        }),
      );
      const whole = answer.ContentRange?.split('/')[1];
      return {
        bytes: whole ? Number(whole) : (answer.ContentLength ?? 0),
        modifiedAt: answer.LastModified?.getTime() ?? 0,
        stream: answer.Body as Readable,
      };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async stat(key: BlobKey): Promise<BlobInfo | null> {
    try {
      const head = await this.#send(new HeadObjectCommand({ Bucket: this.#bucket, Key: this.#path(key) }));
      return { bytes: head.ContentLength ?? 0, modifiedAt: head.LastModified?.getTime() ?? 0 };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async delete(key: BlobKey): Promise<void> {
    await this.#send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: this.#path(key) }));
  }

  async deleteOwner(area: string, owner: string): Promise<void> {
    const keys = (await this.list(area, owner)).map(({ name }) => ({
      Key: this.#path({ area, owner, name }),
    }));
    for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
      const Objects = keys.slice(at, at + DELETED_AT_ONCE);
      const { Errors } = await this.#send(
        new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
      );
      const failed = Errors?.[0];
      if (failed) throw new Error(`${failed.Key} could not be deleted: ${failed.Message}`);
    }
  }

  async list(area: string, owner: string): Promise<readonly (BlobInfo & { name: string })[]> {
    checkOwner(area, owner);
    const found: (BlobInfo & { name: string })[] = [];
    const prefix = `${this.#prefix}${area}/${owner}/`;
    for await (const page of this.#pages(prefix)) {
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        const name = (Key as string).slice(prefix.length);
        found.push({ name, bytes: Size ?? 0, modifiedAt: LastModified?.getTime() ?? 0 });
      }
    }
    return found;
  }

  async *owners(area: string): AsyncIterable<string> {
    checkArea(area);
    const prefix = `${this.#prefix}${area}/`;
    for await (const page of this.#pages(prefix, '/')) {
      for (const { Prefix } of page.CommonPrefixes ?? []) yield (Prefix as string).slice(prefix.length, -1);
    }
  }

  async sweep(): Promise<void> {}

  async part(): Promise<StoragePart> {
    const name = 'blobs (S3)';
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
      return { name, ready: true, required: false };
    } catch (error) {
      const detail = `bucket ${this.#bucket} does not respond: ${(error as Error).message}; check TRUNKLINE_S3_*`;
      // The store is not required for readiness: an outage would take out every node at once, although calls work
      // without it.
      return { name, ready: false, required: false, detail };
    }
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  readonly #send: S3Client['send'] = (async (command: never) => {
    try {
      return await this.#client.send(command);
    } catch (error) {
      throw isMissing(error) ? error : new BlobStoreError(error);
    }
  }) as never;

  #path(key: BlobKey): string {
    checkKey(key);
    return `${this.#prefix}${key.area}/${key.owner}/${key.name}`;
  }

  async *#pages(prefix: string, delimiter?: string): AsyncGenerator<ListObjectsV2CommandOutput> {
    let token: string | undefined;
    do {
      const page: ListObjectsV2CommandOutput = await this.#send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: prefix,
          ...(delimiter ? { Delimiter: delimiter } : {}),
          ...(token ? { ContinuationToken: token } : {}),
        }),
      );
      yield page;
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token);
  }
}
