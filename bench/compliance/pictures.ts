/** Makes images of pages as scanners and telephones do. Needs pdftoppm (poppler) and ffmpeg. */
import { spawnSync } from 'node:child_process';
import { pdfOfJpeg } from './pdf.ts';
import type { Random } from './random.ts';

function run(program: string, args: readonly string[], input: Buffer): Buffer {
  const { stdout, stderr, status, error } = spawnSync(program, args, { input, maxBuffer: 256 * 1024 * 1024 });
  if (error !== undefined || status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
  return stdout;
}

export const canDraw = (): boolean => spawnSync('pdftoppm', ['-v']).status === 0;

const drawn = (pdf: Buffer, dpi: number): Buffer =>
  run('pdftoppm', ['-gray', '-r', String(dpi), '-singlefile', '-'], pdf);

const filtered = (ffmpeg: string, picture: Buffer, filter: string, codec: readonly string[]): Buffer =>
  run(
    ffmpeg,
    [
      '-loglevel',
      'error',
      '-f',
      'pgm_pipe',
      '-i',
      'pipe:0',
      '-vf',
      filter,
      '-frames:v',
      '1',
      ...codec,
      'pipe:1',
    ],
    picture,
  );

const PNG = ['-c:v', 'png', '-f', 'image2pipe'];
const jpeg = (quality: number) => [
  '-pix_fmt',
  'yuvj420p',
  '-q:v',
  String(quality),
  '-c:v',
  'mjpeg',
  '-f',
  'image2pipe',
];

const degrees = (angle: number): string => ((angle * Math.PI) / 180).toFixed(5);

export function scanned(ffmpeg: string, pdf: Buffer, random: Random, dpi = 200): Buffer {
  const angle = random.between(-3, 3);
  const noise = random.whole(6, 16);
  const filter = `rotate=${degrees(angle)}:fillcolor=white,gblur=sigma=0.5,noise=alls=${noise}:allf=u:all_seed=${random.whole(1, 9999)},format=gray`;
  return filtered(ffmpeg, drawn(pdf, dpi), filter, PNG);
}

export function scannedPdf(ffmpeg: string, pdf: Buffer, random: Random, dpi = 200): Buffer {
  const picture = drawn(pdf, dpi);
  const [width, height] = sizeOf(picture);
  const filter = `rotate=${degrees(random.between(-2, 2))}:fillcolor=white,noise=alls=8:allf=u:all_seed=${random.whole(1, 9999)},format=gray`;
  const grey = [
    '-pix_fmt',
    'gray',
    '-q:v',
    '4',
    '-c:v',
    'mjpeg',
    '-strict',
    'unofficial',
    '-f',
    'image2pipe',
  ];
  return pdfOfJpeg(filtered(ffmpeg, picture, filter, grey), width, height);
}

const sizeOf = (pgm: Buffer): [number, number] => {
  const head = /^P5\s+(\d+)\s+(\d+)/.exec(pgm.subarray(0, 64).toString('latin1'))!;
  return [Number(head[1]), Number(head[2])];
};

export function photographed(ffmpeg: string, pdf: Buffer, random: Random): Buffer {
  const picture = drawn(pdf, 220);
  const [width, height] = sizeOf(picture);
  const away = () => Math.round(random.between(0, width * 0.03));
  const corners = `perspective=x0=${away()}:y0=${away()}:x1=W-${away()}:y1=${away()}:x2=${away()}:y2=H-${away()}:x3=W-${away()}:y3=H-${away()}:sense=destination`;
  const side = random.pick(['X/W', '1-X/W', 'Y/H']);
  const filter = [
    `pad=${width + 160}:${height + 160}:80:80:color=0x707070`,
    corners,
    `rotate=${degrees(random.between(-4, 4))}:fillcolor=0x707070`,
    `geq=lum='lum(X,Y)*(0.55+0.4*(${side}))'`,
    'gblur=sigma=0.8',
    `noise=alls=10:allf=u:all_seed=${random.whole(1, 9999)}`,
  ].join(',');
  return filtered(ffmpeg, picture, filter, jpeg(5));
}
