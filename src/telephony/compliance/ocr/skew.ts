import type { PageImage } from '../../../language/documents/index.ts';

const MOST_DEGREES = 12;
const COARSE = 0.5;
const FINE = 0.1;
const MOST_POINTS = 20_000;
/** A pixel below this share of the page's mean brightness is ink. */
const INK = 0.72;

/** A positive angle turns the image clockwise. */
export function skewOf(picture: PageImage): number {
  const points = inkOf(picture);
  if (points.length < 200) return 0;
  const coarse = bestOf(points, picture, -MOST_DEGREES, MOST_DEGREES, COARSE);
  return bestOf(points, picture, coarse - COARSE, coarse + COARSE, FINE);
}

type Point = readonly [number, number];

function inkOf({ width, height, grey }: PageImage): Point[] {
  let sum = 0;
  for (const value of grey) sum += value;
  const limit = (INK * sum) / grey.length;
  const points: Point[] = [];
  // The margins are skipped: in a photograph they show the table under the page.
  const [x0, y0] = [Math.round(width * 0.08), Math.round(height * 0.05)];
  for (let y = y0; y < height - y0; y += 1) {
    for (let x = x0; x < width - x0; x += 1) if (grey[y * width + x]! < limit) points.push([x, y]);
  }
  const step = Math.max(1, Math.ceil(points.length / MOST_POINTS));
  return points.filter((_point, at) => at % step === 0);
}

function bestOf(
  points: readonly Point[],
  picture: PageImage,
  from: number,
  to: number,
  step: number,
): number {
  let best = { angle: 0, score: Number.NEGATIVE_INFINITY };
  for (let angle = from; angle <= to + step / 2; angle += step) {
    const score = levelness(points, picture, angle);
    if (score > best.score) best = { angle, score };
  }
  return Math.round(best.angle * 10) / 10;
}

/** Level lines of text fill some rows and leave others empty. */
function levelness(points: readonly Point[], { width, height }: PageImage, degrees: number): number {
  const turn = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(turn), Math.cos(turn)];
  const rows = new Float64Array(width + height + 2);
  const base = width / 2;
  for (const [x, y] of points) {
    const row = Math.round(base + (x - base) * sin + y * cos);
    if (row >= 0 && row < rows.length) rows[row]! += 1;
  }
  let score = 0;
  for (let at = 1; at < rows.length; at += 1) score += (rows[at]! - rows[at - 1]!) ** 2;
  return score;
}
