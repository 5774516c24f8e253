import { type PageImage, UnreadableDocument } from '../../../language/documents/index.ts';
import { runSandboxed } from './sandboxed.ts';

const LIMITS = { cpuSeconds: 40, memoryKilobytes: 1_500_000 };
const MOST_PIXELS = 50_000_000;

export type Source = Uint8Array | PageImage;

/** The width of a page at 300 dpi. */
export interface Preparation {
  readonly width: number;
  /** Degrees, clockwise. */
  readonly turned: number;
  /** Quarter turns, clockwise. */
  readonly quarters: 0 | 1 | 2 | 3;
  readonly evened: boolean;
  /** Thickens strokes, since thin ones break up and split their letters. */
  readonly thickened: boolean;
}

const QUARTERS = ['', 'transpose=clock,', 'hflip,vflip,', 'transpose=cclock,'] as const;

/** Division by a wide blur evens out the brightness of the paper. */
const evenly = (sigma: number): string =>
  `split[near][far];[far]gblur=sigma=${sigma}[around];[near][around]blend=all_mode=divide,`;

function filterOf({ width, turned, quarters, evened, thickened }: Preparation): string {
  const radians = (turned * Math.PI) / 180;
  return [
    'format=gray,',
    QUARTERS[quarters],
    // The width limits both sides; the height keeps the ratio.
    `scale=w='min(${width},${width}*2*iw/ih)':h=-2:flags=lanczos,`,
    evened ? evenly(Math.round(width / 40)) : '',
    turned === 0 ? '' : `rotate=${radians.toFixed(5)}:fillcolor=white,`,
    thickened ? 'erosion,' : '',
    'format=gray',
  ].join('');
}

/** Runs ffmpeg in a limited process and returns a grayscale PGM for OCR. Throws UnreadableDocument. */
export async function prepared(
  ffmpeg: string,
  source: Source,
  preparation: Preparation,
  signal: AbortSignal,
): Promise<Buffer> {
  const raw = source instanceof Uint8Array ? null : source;
  const input =
    raw === null
      ? ['-max_pixels', String(MOST_PIXELS), '-i', 'pipe:0']
      : ['-f', 'rawvideo', '-pix_fmt', 'gray', '-s', `${raw.width}x${raw.height}`, '-i', 'pipe:0'];
  const args = [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-threads', '1', '-protocol_whitelist', 'pipe'],
    ...input,
    ...[
      '-frames:v',
      '1',
      '-filter_complex',
      filterOf(preparation),
      '-c:v',
      'pgm',
      '-f',
      'image2pipe',
      'pipe:1',
    ],
  ];
  const bytes = raw === null ? (source as Uint8Array) : raw.grey;
  return (await runSandboxed(ffmpeg, args, bytes, LIMITS, signal)).out;
}

export function pictureOf(pgm: Buffer): PageImage {
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(pgm.subarray(0, 64).toString('latin1'));
  const [width, height] = [Number(head?.[1]), Number(head?.[2])];
  const grey = pgm.subarray(head?.[0].length ?? 0);
  if (head === null || grey.length < width * height)
    throw new UnreadableDocument('The picture could not be read.');
  return { width, height, grey: grey.subarray(0, width * height) };
}
