import { useEffect, useRef, useState } from 'preact/hooks';
import { number } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { Table } from './table.tsx';

export interface Series {
  readonly name: string;
  /** A value is null where nothing was measured. */
  readonly values: readonly (number | null)[];
  readonly bad?: boolean;
}

export interface PlotProps {
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly unit?: string;
  readonly kind?: 'bars' | 'lines';
}

/** The width applies until the page has measured the element. */
const FIRST_WIDTH = 640;
const HEIGHT = 208;
const LEFT = 44;
const LABEL_WIDTH = 56;
const WIDEST_BAR = 72;
const TOP = 12;
const BASE = 180;

/** The axis ends at the next round number (1, 2 or 5 times a power of ten); integers have integer ticks. */
function axisOf(most: number, isWhole: boolean): { readonly top: number; readonly ticks: number } {
  const scale = 10 ** Math.floor(Math.log10(most));
  const lead = [1, 2, 5, 10].find((step) => step * scale >= most) ?? 10;
  const top = lead * scale;
  const ticks = lead === 2 ? 4 : 5;
  return { top, ticks: isWhole ? Math.min(top, ticks) : ticks };
}

/** Small sums keep digits that tell the ticks of their axis apart. */
const digitsOf = (top: number): number => Math.max(2, 1 - Math.floor(Math.log10(top)));

function useWidth() {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry?.contentRect.width ?? 0)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}

const shade = ({ bad }: Series, index: number): string => (bad ? 'bad' : String((index % 4) + 1));

export function Plot({ title, labels, series, unit, kind = 'bars' }: PlotProps) {
  const { element, width } = useWidth();
  const values = labels.map((_, at) => series.map(({ values: each }) => each[at] ?? 0));
  const tallest = values.map((each) =>
    kind === 'bars' ? each.reduce((sum, one) => sum + one, 0) : Math.max(0, ...each),
  );
  const most = Math.max(...tallest, 0);
  const isWhole = values.every((each) => each.every(Number.isInteger));
  const { top, ticks } = axisOf(most || 1, isWhole);
  const digits = digitsOf(top);
  const step = (width - LEFT) / labels.length;
  const y = (value: number) => BASE - (value / top) * (BASE - TOP);
  const every = Math.max(1, Math.ceil((labels.length * LABEL_WIDTH) / (width - LEFT)));
  if (most === 0)
    return (
      <figure class="card" ref={element}>
        <figcaption>
          <strong>{title}</strong>
        </figcaption>
        <p class="quiet">{t('Nothing to plot yet.')}</p>
      </figure>
    );
  return (
    <figure class="card" ref={element}>
      <figcaption>
        <strong>{title}</strong> {unit && <span class="quiet">({unit})</span>}
      </figcaption>
      <svg class="plot" viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={title}>
        {Array.from({ length: ticks + 1 }, (_, nth) => (nth * top) / ticks).map((value) => (
          <g key={value}>
            <line class="grid" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
            <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
              {number(value, digits)}
            </text>
          </g>
        ))}
        {labels.map(
          (label, at) =>
            at % every === 0 && (
              <text key={label} x={LEFT + (at + 0.5) * step} y={BASE + 18} text-anchor="middle">
                {label}
              </text>
            ),
        )}
        {kind === 'bars' ? (
          <Bars labels={labels} series={series} digits={digits} step={step} y={y} />
        ) : (
          series.map((one, index) => (
            <path
              key={one.name}
              class={`line line-${shade(one, index)}`}
              d={pathOf(one.values, (at) => LEFT + (at + 0.5) * step, y)}
            />
          ))
        )}
      </svg>
      <div class="legend">
        {series.map((one, index) => (
          <span key={one.name}>
            <svg viewBox="0 0 8 8" aria-hidden="true">
              <rect class={`bar-${shade(one, index)}`} width="8" height="8" rx="2" />
            </svg>{' '}
            {one.name}
          </span>
        ))}
      </div>
      <details>
        <summary class="quiet small">{t('As a table')}</summary>
        <Table
          caption={title}
          columns={[
            { label: t('When'), of: (row) => row.label },
            ...series.map(({ name, values: each }) => ({
              label: name,
              numeric: true,
              of: (row: { at: number }) => number(each[row.at], digits),
            })),
          ]}
          rows={labels.map((label, at) => ({ label, at }))}
        />
      </details>
    </figure>
  );
}

interface BarsProps {
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly digits: number;
  readonly step: number;
  readonly y: (value: number) => number;
}

function Bars({ labels, series, digits, step, y }: BarsProps) {
  const gap = Math.min(8, step * 0.25);
  const wide = Math.min(Math.max(step - gap, 1), WIDEST_BAR);
  return labels.map((label, at) => {
    let sum = 0;
    return (
      <g key={label}>
        {series.map((one, index) => {
          const value = one.values[at] ?? 0;
          const base = sum;
          sum += value;
          return (
            <rect
              key={one.name}
              class={`bar-${shade(one, index)}`}
              x={LEFT + at * step + (step - wide) / 2}
              y={y(sum)}
              width={wide}
              height={y(base) - y(sum)}
            >
              <title>{`${label} · ${one.name}: ${number(value, digits)}`}</title>
            </rect>
          );
        })}
      </g>
    );
  });
}

/** The line breaks where nothing was measured; an isolated point is a dot. */
function pathOf(
  values: readonly (number | null)[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, at) => {
      if (value === null) return '';
      const point = `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      const isFirst = at === 0 || values[at - 1] === null;
      return isFirst ? `M${point}h0.1` : `L${point}`;
    })
    .join('');
}

export function Spark({ values }: { readonly values: readonly (number | null)[] }) {
  const most = Math.max(...values.map((value) => value ?? 0));
  if (most === 0) return null;
  const step = 100 / values.length;
  return (
    <svg class="spark" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, at) => {
        const tall = Math.max(value ? 1.5 : 0.5, ((value ?? 0) / most) * 20);
        return <rect key={at} class="bar-1" x={at * step + 1} y={20 - tall} width={step - 2} height={tall} />;
      })}
    </svg>
  );
}
