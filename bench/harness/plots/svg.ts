export const COLOURS = [
  '#0b5fa5',
  '#c8501e',
  '#2e7d32',
  '#7b3fa0',
  '#8a6d00',
  '#00838f',
  '#ad1457',
  '#455a64',
];
export const DASHES = ['', '7 3', '2 3', '9 3 2 3', '4 4', '12 4', '1 4', '6 2 2 2'];

export interface Axis {
  label: string;
  log?: boolean;
  min?: number;
  max?: number;
}

export interface Sheet {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const SHEET: Sheet = { width: 860, height: 420, left: 76, right: 200, top: 44, bottom: 58 };

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export function svg(sheet: Sheet, title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${sheet.width} ${sheet.height}" width="${sheet.width}" height="${sheet.height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${sheet.left}" y="24" font-size="15" font-weight="600" fill="#111">${escapeXml(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/** Maps values onto the sheet with conventional ticks (steps of 1, 2, 5; powers of ten). */
export interface Scale {
  at(value: number): number;
  ticks: number[];
}

export function makeScale(axis: Axis, values: readonly number[], from: number, to: number): Scale {
  const finite = values.filter((value) => Number.isFinite(value) && (!axis.log || value > 0));
  let low = axis.min ?? (finite.length > 0 ? finite.reduce((a, b) => Math.min(a, b)) : 0);
  let high = axis.max ?? (finite.length > 0 ? finite.reduce((a, b) => Math.max(a, b)) : 1);
  if (axis.log && low <= 0)
    throw new RangeError(`axis "${axis.label}": a logarithmic axis needs values above 0`);
  if (low === high) [low, high] = axis.log ? [low / 2, high * 2] : [low - 1, high + 1];
  if (axis.log && axis.min === undefined) low /= 1.3;
  if (axis.log && axis.max === undefined) high *= 1.3;
  const warp = axis.log ? Math.log10 : (value: number) => value;
  const [first, last] = [warp(low), warp(high)];
  const at = (value: number) => from + ((warp(value) - first) / (last - first)) * (to - from);
  return { at, ticks: axis.log ? logTicks(low, high) : linearTicks(low, high) };
}

export function linearTicks(low: number, high: number, wanted = 7): number[] {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const ticks: number[] = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) {
    ticks.push(Number((n * step).toPrecision(12)));
  }
  return ticks;
}

function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const factor of [1, 2, 5]) {
      const value = Number((factor * 10 ** power).toPrecision(3));
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
    }
  }
  return ticks;
}

export function axes(sheet: Sheet, x: Axis, y: Axis, xScale: Scale, yScale: Scale): string[] {
  const { left, top } = sheet;
  const right = sheet.width - sheet.right;
  const base = sheet.height - sheet.bottom;
  const parts: string[] = [];
  for (const tick of yScale.ticks) {
    const at = yScale.at(tick).toFixed(1);
    parts.push(`<line x1="${left}" x2="${right}" y1="${at}" y2="${at}" stroke="#e3e3e3"/>`);
    parts.push(`<text x="${left - 7}" y="${at}" dy="4" text-anchor="end" fill="#333">${tick}</text>`);
  }
  for (const tick of xScale.ticks) {
    const at = xScale.at(tick).toFixed(1);
    parts.push(`<line x1="${at}" x2="${at}" y1="${top}" y2="${base}" stroke="#eee"/>`);
    parts.push(`<text x="${at}" y="${base + 17}" text-anchor="middle" fill="#333">${tick}</text>`);
  }
  parts.push(
    `<rect x="${left}" y="${top}" width="${right - left}" height="${base - top}" fill="none" stroke="#888"/>`,
  );
  parts.push(axisLabels(sheet, x.label, y.label));
  return parts;
}

export function axisLabels(sheet: Sheet, x: string, y: string): string {
  const middleX = (sheet.left + sheet.width - sheet.right) / 2;
  const middleY = (sheet.top + sheet.height - sheet.bottom) / 2;
  return (
    `<text x="${middleX}" y="${sheet.height - 18}" text-anchor="middle" fill="#111">${escapeXml(x)}</text>\n` +
    `<text x="18" y="${middleY}" text-anchor="middle" fill="#111" transform="rotate(-90 18 ${middleY})">${escapeXml(y)}</text>`
  );
}

export function key(
  sheet: Sheet,
  names: readonly string[],
  mark: (index: number, x: number, y: number) => string,
): string[] {
  const x = sheet.width - sheet.right + 14;
  return names.map((name, index) => {
    const y = sheet.top + 12 + index * 19;
    return `${mark(index, x, y)}<text x="${x + 32}" y="${y + 4}" fill="#111">${escapeXml(name)}</text>`;
  });
}
