import type { Evidence } from '../../speech/amd/index.ts';
import type { AmdCall } from './view.ts';

const WIDTH = 960;
const LEFT = 90;
const ROW = 34;
const ROWS = ['speech', 'tone', 'music', 'words'] as const;

interface Span {
  readonly row: (typeof ROWS)[number];
  readonly from: number;
  to: number;
  readonly label: string;
}

/** Draws a call's evidence over time with the verdict. */
export function evidenceSvg(call: AmdCall, evidence: readonly Evidence[]): string {
  const spans = spansOf(evidence, call.duration_ms);
  const end = Math.max(1000, call.duration_ms, call.at_ms, ...spans.map(({ to }) => to));
  const x = (ms: number): number => LEFT + ((WIDTH - LEFT - 20) * ms) / end;
  const y = (row: number): number => 30 + row * ROW;
  const height = y(ROWS.length) + 30;
  const seconds = Array.from({ length: Math.floor(end / 1000) + 1 }, (_, at) => at).filter(
    (at) => at % Math.ceil(end / 15_000) === 0,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(`${call.id}: ${call.answered_by} (${call.reason})`)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...seconds.map(
      (at) =>
        `<path d="M${x(at * 1000)} 20V${height - 24}" stroke="#ddd"/><text x="${x(at * 1000)}" y="${height - 10}" text-anchor="middle" fill="#555">${at} s</text>`,
    ),
    ...ROWS.map(
      (row, at) => `<text x="${LEFT - 8}" y="${y(at) + 17}" text-anchor="end" fill="#333">${row}</text>`,
    ),
    ...spans.map(({ row, from, to, label }) => {
      const at = ROWS.indexOf(row);
      const width = Math.max(2, x(to) - x(from));
      return `<g><title>${escaped(label)}</title><rect x="${x(from)}" y="${y(at) + 2}" width="${width}" height="${ROW - 12}" fill="${COLOURS[row]}" rx="2"/></g>`;
    }),
    `<path d="M${x(call.at_ms)} 14V${height - 24}" stroke="#b00020" stroke-width="2"/>`,
    `<text x="${x(call.at_ms)}" y="12" text-anchor="${x(call.at_ms) > WIDTH / 2 ? 'end' : 'start'}" fill="#b00020">${escaped(`${call.answered_by}: ${call.reason}`)}</text>`,
    '</svg>',
  ].join('\n');
}

const COLOURS = { speech: '#3367d6', tone: '#e37400', music: '#9334e6', words: '#188038' } as const;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** Builds a span for each state; a state without an end lasts until the end of the call. */
function spansOf(evidence: readonly Evidence[], endMs: number): Span[] {
  const spans: Span[] = [];
  const open = (row: Span['row']) => spans.findLast((span) => span.row === row);
  for (const one of evidence) {
    if (one.kind === 'speech') spans.push({ row: 'speech', from: one.fromMs, to: endMs, label: 'speech' });
    if (one.kind === 'quiet') close(open('speech'), one.fromMs);
    if (one.kind === 'tone') spans.push({ row: 'tone', from: one.fromMs, to: one.toMs, label: one.tone });
    if (one.kind === 'words') spans.push({ row: 'words', from: one.fromMs, to: one.toMs, label: one.text });
    if (one.kind === 'music' && one.playing) {
      spans.push({ row: 'music', from: one.fromMs, to: endMs, label: 'music' });
    }
    if (one.kind === 'music' && !one.playing) close(open('music'), one.fromMs);
  }
  return spans;
}

function close(span: Span | undefined, atMs: number): void {
  if (span) span.to = Math.max(span.from, atMs);
}
