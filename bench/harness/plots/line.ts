import { type Axis, axes, COLOURS, DASHES, escapeXml, key, makeScale, SHEET, svg } from './svg.ts';

export interface Series {
  name: string;
  points: readonly { x: number; y: number; label?: string }[];
}

export interface Plane {
  title: string;
  x: Axis;
  y: Axis;
  series: readonly Series[];
  goals?: readonly { y: number; label: string }[];
}

export function linePlot(plane: Plane): string {
  return drawPlane(plane, (series, index, place) => {
    const at = series.points.map((point) => place(point)).map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`);
    return [
      `<polyline points="${at.join(' ')}" fill="none" stroke="${colour(index)}" stroke-width="1.6"${dash(index)}/>`,
    ];
  });
}

export function scatterPlot(plane: Plane): string {
  return drawPlane(plane, (series, index, place) =>
    series.points.map((point) => {
      const [x, y] = place(point);
      const label = point.label
        ? `<text x="${(x + 8).toFixed(1)}" y="${(y + 4).toFixed(1)}" fill="#333" font-size="11">${escapeXml(point.label)}</text>`
        : '';
      return shape(index, x, y) + label;
    }),
  );
}

type Place = (point: { x: number; y: number }) => [number, number];

function drawPlane(plane: Plane, draw: (series: Series, index: number, place: Place) => string[]): string {
  const right = SHEET.width - SHEET.right;
  const base = SHEET.height - SHEET.bottom;
  const all = plane.series.flatMap((series) => series.points);
  const goals = plane.goals ?? [];
  const xScale = makeScale(
    plane.x,
    all.map((point) => point.x),
    SHEET.left,
    right,
  );
  const yScale = makeScale(
    plane.y,
    [...all.map((point) => point.y), ...goals.map((goal) => goal.y)],
    base,
    SHEET.top,
  );
  // A value off the sheet (a rejection below the axis, minus infinity) is drawn at its edge.
  const clamp = (value: number, low: number, high: number) =>
    Number.isNaN(value) ? high : Math.min(high, Math.max(low, value));
  const place: Place = ({ x, y }) => [
    clamp(xScale.at(x), SHEET.left, right),
    clamp(yScale.at(y), SHEET.top, base),
  ];
  return svg(SHEET, plane.title, [
    ...axes(SHEET, plane.x, plane.y, xScale, yScale),
    ...goals.map((goal) => {
      const y = yScale.at(goal.y).toFixed(1);
      return (
        `<line x1="${SHEET.left}" x2="${right}" y1="${y}" y2="${y}" stroke="#b00020" stroke-dasharray="5 4"/>` +
        `<text x="${right - 6}" y="${y}" dy="-4" text-anchor="end" fill="#b00020" font-size="11">${escapeXml(goal.label)}</text>`
      );
    }),
    ...plane.series.flatMap((series, index) => draw(series, index, place)),
    ...key(
      SHEET,
      plane.series.map((series) => series.name),
      keyMark,
    ),
  ]);
}

const colour = (index: number) => COLOURS[index % COLOURS.length] as string;

function dash(index: number): string {
  const pattern = DASHES[index % DASHES.length];
  return pattern ? ` stroke-dasharray="${pattern}"` : '';
}

function keyMark(index: number, x: number, y: number): string {
  return (
    `<line x1="${x}" x2="${x + 26}" y1="${y}" y2="${y}" stroke="${colour(index)}" stroke-width="1.6"${dash(index)}/>` +
    shape(index, x + 13, y)
  );
}

/** Each series has a different outline, so that the plot reads without colour. */
function shape(index: number, x: number, y: number): string {
  const [cx, cy] = [x.toFixed(1), y.toFixed(1)];
  const fill = `fill="${colour(index)}"`;
  switch (index % 4) {
    case 0:
      return `<circle cx="${cx}" cy="${cy}" r="4" ${fill}/>`;
    case 1:
      return `<rect x="${(x - 4).toFixed(1)}" y="${(y - 4).toFixed(1)}" width="8" height="8" ${fill}/>`;
    case 2:
      return `<path d="M${cx} ${(y - 5).toFixed(1)}l5 9h-10z" ${fill}/>`;
    default:
      return `<path d="M${cx} ${(y - 5).toFixed(1)}l5 5l-5 5l-5-5z" ${fill}/>`;
  }
}
