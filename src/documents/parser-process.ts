import { type LimitedProcess, startLimited } from '../codec/index.ts';
import { compiledProgram, PROJECT_ROOT } from '../platform/project-root.ts';
import { type Format, type Parsed, Unreadable } from './blocks.ts';
import type { Picture, PlacedPage } from './placed.ts';

/** The compiled program, also when this file runs from its source. */
const PROGRAM = compiledProgram(import.meta.url, 'documents', 'worker.js');

const CPU_SECONDS = 60;
/** Of a dozen pages whose words are wanted in their places. */
const PAGES_CPU_SECONDS = 15;
/** A file is read at once; a machine that is busy gives its processes less than a core. */
const PATIENCE_MS = 180_000;
const HEAP_MEGABYTES = 384;
const MEMORY_KILOBYTES = 1_500_000;
/** Its libraries are of hundreds of files, which are opened together. */
const OPEN_FILES = 1_024;
const MOST_ANSWERED = 40 * 1024 * 1024;

const COMMAND = [
  `--max-old-space-size=${HEAP_MEGABYTES}`,
  // The process has a stack of a megabyte: recursion ends before it does.
  '--stack-size=600',
  '--no-warnings',
  PROGRAM,
];

/** Reads a document in a process of its own: what goes wrong with it ends there. Throws Unreadable. */
export const parseApart = (bytes: Uint8Array, format: Format, signal: AbortSignal): Promise<Parsed> =>
  askApart<Parsed>({ format }, bytes, signal, CPU_SECONDS);

/** The words of a PDF in their places, read likewise. Throws Unreadable. */
export async function pagesApart(bytes: Uint8Array, signal: AbortSignal): Promise<PlacedPage[]> {
  const pages = await askApart<SentPage[]>({ format: 'pdf', pages: true }, bytes, signal, PAGES_CPU_SECONDS);
  return pages.map(({ picture, ...page }) => ({
    ...page,
    picture: picture && { ...picture, grey: Buffer.from(picture.grey, 'base64') },
  }));
}

/** What one page of a PDF shows, read likewise; null: no picture. Throws Unreadable. */
export async function pictureApart(
  bytes: Uint8Array,
  number: number,
  signal: AbortSignal,
): Promise<Picture | null> {
  const picture = await askApart<SentPicture>(
    { format: 'pdf', picture: number },
    bytes,
    signal,
    PAGES_CPU_SECONDS,
  );
  return picture.grey === '' ? null : { ...picture, grey: Buffer.from(picture.grey, 'base64') };
}

type SentPage = Omit<PlacedPage, 'picture'> & {
  readonly picture: SentPicture | null;
};
type SentPicture = Omit<Picture, 'grey'> & { readonly grey: string };

async function askApart<T>(
  asked: object,
  bytes: Uint8Array,
  signal: AbortSignal,
  cpuSeconds: number,
): Promise<T> {
  signal.throwIfAborted();
  const limits = {
    cpuSeconds,
    memoryKilobytes: MEMORY_KILOBYTES,
    openFiles: OPEN_FILES,
    reads: [PROJECT_ROOT],
  };
  const child = await startLimited(process.execPath, COMMAND, limits, 'pipe');
  const stop = (): void => child.discard();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const late = setTimeout(stop, PATIENCE_MS);
  try {
    child.stdin?.end(Buffer.concat([Buffer.from(`${JSON.stringify(asked)}\n`), bytes]));
    return read<T>(await answerOf(child));
  } catch (error) {
    // It was not the document that ended it.
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
  }
}

async function answerOf(child: LimitedProcess): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= MOST_ANSWERED) parts.push(part);
    else child.discard();
  });
  const { code, signal } = await child.ended;
  if (bytes > MOST_ANSWERED) throw new Unreadable('The document holds more text than is indexed.');
  if (code === 0) return Buffer.concat(parts).toString('utf8');
  throw new Unreadable(reasonOf(signal, child.said()));
}

function reasonOf(signal: NodeJS.Signals | null, said: string): string {
  if (/heap out of memory|allocation failed|Array buffer allocation/i.test(said) || signal === 'SIGABRT')
    return 'Reading the document takes more memory than a document may.';
  if (signal === 'SIGKILL' || signal === 'SIGXCPU')
    return 'Reading the document takes longer than a document may.';
  return 'The document could not be read.';
}

function read<T>(answer: string): T {
  const { parsed, unreadable } = JSON.parse(answer) as { parsed?: T; unreadable?: string };
  if (parsed === undefined) throw new Unreadable(unreadable ?? 'The document could not be read.');
  return parsed;
}
