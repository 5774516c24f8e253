import { compiledProgram, PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import { startLimited } from '../../media/codec/index.ts';
import { UnreadableDocument } from './blocks.ts';
import type { PageOutline, ParserRequest } from './parser-request.ts';
import type { WorkerOutputLine } from './parser-worker.ts';
import type { PageImage, PositionedPage } from './positioned-text.ts';
import type { SiteMap, SiteMapLimits } from './site-map.ts';

const PROGRAM = compiledProgram(import.meta.url, 'language/documents', 'worker.js');

const CPU_SECONDS = 60;
/** The budget covers a dozen pages with word positions. */
const PAGES_CPU_SECONDS = 15;
/** A file parses at once, but a busy machine gives the process less than a core. */
const PARSE_TIMEOUT_MS = 180_000;
const HEAP_MEGABYTES = 384;
const MEMORY_KILOBYTES = 1_500_000;
const OPEN_FILES = 1_024;
const MAX_RESPONSE_BYTES = 40 * 1024 * 1024;

const NOT_READ = 'The document could not be read.';

const NODE = [
  `--max-old-space-size=${HEAP_MEGABYTES}`,
  // The process has a stack of one megabyte, so the limit of recursion lies below it.
  '--stack-size=600',
  '--no-warnings',
];

/**
 * Reads the words of a PDF with their positions in a separate process, which contains any fault. Throws
 * UnreadableDocument.
 */
export async function readPagesIsolated(bytes: Uint8Array, signal: AbortSignal): Promise<PositionedPage[]> {
  const pages: PositionedPage[] = [];
  const order = { ...READING, cpuSeconds: PAGES_CPU_SECONDS, request: { kind: 'pages' } as ParserRequest };
  for await (const { picture, ...page } of runParserProcess<SentPage>(order, bytes, signal))
    pages.push({ ...page, picture: picture && { ...picture, grey: Buffer.from(picture.grey, 'base64') } });
  return pages;
}

/** Reads the image of one PDF page in isolation; null when it has none. Throws UnreadableDocument. */
export async function readPageImageIsolated(
  bytes: Uint8Array,
  number: number,
  signal: AbortSignal,
): Promise<PageImage | null> {
  const asked: ParserRequest = { kind: 'picture', page: number };
  const order = { ...READING, cpuSeconds: PAGES_CPU_SECONDS, request: asked };
  const picture = await onePart<SentPicture>(runParserProcess(order, bytes, signal));
  return picture.grey === '' ? null : { ...picture, grey: Buffer.from(picture.grey, 'base64') };
}

export const readOutlineIsolated = (bytes: Uint8Array, signal: AbortSignal): Promise<PageOutline> =>
  onePart<PageOutline>(
    runParserProcess({ ...READING, request: { kind: 'outline' } as ParserRequest }, bytes, signal),
  );

export const readSiteMapIsolated = (
  bytes: Uint8Array,
  limits: SiteMapLimits,
  signal: AbortSignal,
): AsyncGenerator<SiteMap> =>
  runParserProcess<SiteMap>(
    { ...READING, request: { kind: 'siteMap', limits } as ParserRequest },
    bytes,
    signal,
  );

type SentPage = Omit<PositionedPage, 'picture'> & {
  readonly picture: SentPicture | null;
};
type SentPicture = Omit<PageImage, 'grey'> & { readonly grey: string };

async function onePart<T>(parts: AsyncIterable<T>): Promise<T> {
  for await (const part of parts) return part;
  throw new UnreadableDocument(NOT_READ);
}

export interface ParserProcessOptions {
  readonly program: string;
  readonly request: unknown;
  readonly cpuSeconds: number;
  readonly maxResponseBytes: number;
}

const READING = { program: PROGRAM, cpuSeconds: CPU_SECONDS, maxResponseBytes: MAX_RESPONSE_BYTES };

export async function* runParserProcess<T>(
  { program, request: asked, cpuSeconds, maxResponseBytes: mostAnswered }: ParserProcessOptions,
  bytes: Uint8Array,
  signal: AbortSignal,
): AsyncGenerator<T> {
  signal.throwIfAborted();
  const limits = {
    cpuSeconds,
    memoryKilobytes: MEMORY_KILOBYTES,
    openFiles: OPEN_FILES,
    reads: [PROJECT_ROOT],
  };
  const child = await startLimited(process.execPath, [...NODE, program], limits, 'pipe');
  const stop = (): void => child.discard();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const late = setTimeout(stop, PARSE_TIMEOUT_MS);
  try {
    child.stdin?.write(`${JSON.stringify(asked)}\n`);
    child.stdin?.end(bytes);
    for await (const line of linesOf(child.stdout, mostAnswered)) yield partOf<T>(line);
    const { code, signal: killed } = await child.ended;
    if (code !== 0) throw new UnreadableDocument(reasonOf(killed, child.stderrText()));
  } catch (error) {
    // The caller aborted; the document was not at fault.
    signal.throwIfAborted();
    if (error instanceof UnreadableDocument || !isCut(error)) throw error;
    throw new UnreadableDocument(reasonOf((await child.ended).signal, child.stderrText()), { cause: error });
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    child.discard();
  }
}

const isCut = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';

async function* linesOf(output: AsyncIterable<Buffer>, most: number): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const part of output) {
    bytes += part.length;
    if (bytes > most) throw new UnreadableDocument('The document holds more text than is indexed.');
    let start = 0;
    for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, start)) {
      yield Buffer.concat([...begun, part.subarray(start, end)]).toString('utf8');
      begun = [];
      start = end + 1;
    }
    begun.push(part.subarray(start));
  }
}

function partOf<T>(line: string): T {
  const answer = JSON.parse(line) as WorkerOutputLine<T>;
  if ('unreadable' in answer) throw new UnreadableDocument(answer.unreadable);
  return answer.part;
}

function reasonOf(signal: NodeJS.Signals | null, said: string): string {
  if (/heap out of memory|allocation failed|Array buffer allocation/i.test(said) || signal === 'SIGABRT')
    return 'Reading the document takes more memory than a document may.';
  if (signal === 'SIGKILL' || signal === 'SIGXCPU')
    return 'Reading the document takes longer than a document may.';
  return NOT_READ;
}
