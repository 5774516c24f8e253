/** Downloads files through the URL gate, continues interrupted downloads, and verifies complete files. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GateError, type GateResponse, type UrlGate } from '../../foundation/platform/url-gate/index.ts';
import { AddedModelError, InterruptedError, NoSuchFileError } from './errors.ts';

export interface RemoteFile {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: number;
  readonly sha256?: string;
  /** Git names files outside large-file storage by this hash. */
  readonly gitSha1?: string;
}

export interface DownloadOptions {
  readonly gate: UrlGate;
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytes: number, of: number | null) => void;
}

/** A download leaves this much of the disk free. */
export const DISK_RESERVE = 256 * 1024 * 1024;
const MOST_BYTES = 64 * 1024 ** 3;
const REDIRECTS = 5;
const LEAST_BYTES_PER_SECOND = 1_000;
const DAY_MS = 86_400_000;
/** So many attempts in a row have to bring a share of the file, or these bytes of a large one. */
const TRIES = 5;
const LEAST_SHARE = 0.01;
const LEAST_PROGRESS = 4 * 1024 * 1024;

/** Downloads one file to `target`. An interrupted download leaves `target.part`, which the next call continues. */
export async function download(file: RemoteFile, target: string, options: DownloadOptions): Promise<void> {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  const part = `${target}.part`;
  const share = Math.min(LEAST_PROGRESS, Math.ceil((file.bytes ?? MOST_BYTES) * LEAST_SHARE));
  let reached = sizeOf(part);
  for (let left = TRIES; ; left -= 1) {
    try {
      if (await arrives(file, part, options)) break;
    } catch (error) {
      if (options.signal?.aborted)
        throw new InterruptedError('interrupted: run the same command again to continue');
      if (!isCut(error)) throw error;
      if (sizeOf(part) - reached >= share) {
        reached = sizeOf(part);
        left = TRIES + 1;
      }
      if (left <= 1)
        throw new InterruptedError(
          `the download was interrupted after ${sizeOf(part)} bytes (${(error as Error).message}): run the same command again to continue`,
        );
    }
  }
  await check(file, part);
  renameSync(part, target);
}

async function arrives(file: RemoteFile, part: string, options: DownloadOptions): Promise<boolean> {
  const have = sizeOf(part);
  if (file.bytes !== undefined && have === file.bytes) return true;
  if (file.bytes !== undefined && have > file.bytes) rmSync(part);
  const from = sizeOf(part);
  // A model of unknown size is converted beside its file, and takes as much again.
  const most = file.bytes ?? from + Math.floor(freeBytesAt(part) / 2);
  const answer = await options.gate.fetch(file.url, {
    headers: { ...file.headers, ...(from > 0 ? { range: `bytes=${from}-` } : {}) },
    maxBytes: MOST_BYTES,
    timeoutMs: DAY_MS,
    leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
    maxRedirects: REDIRECTS,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const continued = answer.status === 206 && from > 0;
  if (answer.status === 416) {
    answer.body.destroy();
    rmSync(part, { force: true });
    throw new GateError('connection', 'the server has fewer bytes than had arrived');
  }
  if (answer.status !== 200 && !continued) throw await refused(file.url, answer);
  if (continued) checkRange(answer, from);
  const length = Number(answer.headers['content-length'] ?? Number.NaN);
  const whole = Number.isFinite(length) ? length + (continued ? from : 0) : null;
  if (file.bytes !== undefined && whole !== null && whole !== file.bytes) {
    answer.body.destroy();
    throw new AddedModelError(`${file.url} has ${whole} bytes where ${file.bytes} were announced`);
  }
  if (whole !== null && whole > most) {
    answer.body.destroy();
    throw tooLarge(file);
  }
  let here = continued ? from : 0;
  options.onProgress?.(here, file.bytes ?? whole);
  const handle = await open(part, continued ? 'a' : 'w');
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      if (here + chunk.length > most) throw tooLarge(file);
      await handle.writeFile(chunk);
      here += chunk.length;
      options.onProgress?.(here, file.bytes ?? whole);
    }
  } finally {
    await handle.close();
  }
  const expected = file.bytes ?? whole;
  if (expected === null || here === expected) return true;
  throw new GateError('connection', `${here} of ${expected} bytes arrived`);
}

function checkRange(answer: GateResponse, from: number): void {
  const said = /^bytes (\d+)-/.exec(String(answer.headers['content-range'] ?? ''))?.[1];
  if (Number(said) === from) return;
  answer.body.destroy();
  throw new AddedModelError(`the server continued at byte ${said ?? '?'} where ${from} was asked for`);
}

const CUT = new Set(['connection', 'timeout']);
const isCut = (error: unknown): boolean =>
  error instanceof GateError
    ? CUT.has(error.reason)
    : (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';

export async function refused(url: string, answer: GateResponse): Promise<AddedModelError> {
  answer.body.on('error', () => undefined).destroy();
  const why =
    answer.status === 401 || answer.status === 403
      ? 'it asks for a login: set HF_TOKEN to a token that may read it, and accept its terms on its page'
      : answer.status === 404
        ? 'there is no such file, repository or revision'
        : 'the server refused it';
  const failure = answer.status === 404 ? NoSuchFileError : AddedModelError;
  return new failure(`${new URL(url).origin}${new URL(url).pathname} answered ${answer.status}: ${why}`);
}

function tooLarge({ url, bytes }: RemoteFile): AddedModelError {
  const where = `${new URL(url).origin}${new URL(url).pathname}`;
  return new AddedModelError(
    bytes === undefined
      ? `${where} is larger than the disk has room for: free some space`
      : `${where} has more than the ${bytes} bytes that were announced`,
  );
}

function freeBytesAt(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return Math.max(0, bavail * bsize - DISK_RESERVE);
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

export async function hashFile(path: string, algorithm = 'sha256', prefix = ''): Promise<string> {
  const hash = createHash(algorithm).update(prefix);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function check(file: RemoteFile, path: string): Promise<void> {
  const found = file.sha256
    ? await hashFile(path)
    : file.gitSha1 && (await hashFile(path, 'sha1', `blob ${sizeOf(path)}\0`));
  const expected = file.sha256 ?? file.gitSha1;
  if (expected === undefined || found === expected) return;
  rmSync(path);
  throw new AddedModelError(`${file.url} is damaged: expected ${expected}, received ${found}`);
}
