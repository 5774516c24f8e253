import { formatValue } from '../figure.ts';
import { COLOURS, escapeXml, key, type Sheet, svg } from './svg.ts';

export interface Bars {
  title: string;
  unit: string;
  /** Each label has one group of bars; `values` are in the order of `series`, null where nothing was measured. */
  series: readonly string[];
  groups: readonly { label: string; values: readonly (number | null)[]; goal?: number }[];
}

const BAR = 17;
const GAP = 16;

export function barPlot(bars: Bars): string {
  const groupHeight = bars.series.length * BAR + GAP;
  const sheet: Sheet = {
    width: 860,
    height: 44 + bars.groups.length * groupHeight + 40,
    left: 190,
    right: 200,
    top: 44,
    bottom: 40,
  };
  const values = bars.groups.flatMap((group) => [...group.values, group.goal ?? null]);
  const most = values.reduce<number>((high, value) => Math.max(high, value ?? 0), 0) || 1;
  const span = sheet.width - sheet.left - sheet.right - 60;
  const length = (value: number) => (Math.max(0, value) / most) * span;
  const parts = bars.groups.flatMap((group, at) => {
    const top = sheet.top + at * groupHeight + GAP / 2;
    const middle = top + (bars.series.length * BAR) / 2 + 4;
    const label = `<text x="${sheet.left - 8}" y="${middle}" text-anchor="end" fill="#111">${escapeXml(group.label)}</text>`;
    const drawn = group.values.map((value, series) => bar(sheet, top + series * BAR, series, value, length));
    return [label, ...drawn, goalTick(sheet, top, bars.series.length * BAR, group.goal, length)];
  });
  const base = sheet.height - sheet.bottom;
  parts.push(`<line x1="${sheet.left}" x2="${sheet.left}" y1="${sheet.top}" y2="${base}" stroke="#888"/>`);
  parts.push(`<text x="${sheet.left}" y="${base + 22}" fill="#111">${escapeXml(bars.unit)}</text>`);
  const mark = (index: number, x: number, y: number) =>
    `<rect x="${x + 8}" y="${y - 6}" width="14" height="12" fill="${COLOURS[index % COLOURS.length]}"/>`;
  return svg(sheet, bars.title, [...parts, ...key(sheet, bars.series, mark)]);
}

function bar(
  sheet: Sheet,
  y: number,
  series: number,
  value: number | null,
  length: (v: number) => number,
): string {
  if (value === null || !Number.isFinite(value)) {
    return `<text x="${sheet.left + 5}" y="${y + 13}" fill="#777" font-size="11">not measured</text>`;
  }
  const width = length(value);
  return (
    `<rect x="${sheet.left}" y="${y + 1}" width="${width.toFixed(1)}" height="${BAR - 2}" fill="${COLOURS[series % COLOURS.length]}"/>` +
    `<text x="${(sheet.left + width + 5).toFixed(1)}" y="${y + 13}" fill="#333" font-size="11">${formatValue(value)}</text>`
  );
}

function goalTick(
  sheet: Sheet,
  top: number,
  height: number,
  goal: number | undefined,
  length: (v: number) => number,
): string {
  if (goal === undefined) return '';
  const x = (sheet.left + length(goal)).toFixed(1);
  return `<line x1="${x}" x2="${x}" y1="${top - 2}" y2="${top + height + 2}" stroke="#b00020" stroke-width="2"/>`;
}
