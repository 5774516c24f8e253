import { number } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { Table } from './table.tsx';

export interface PlotProps {
  readonly title: string;
  /** One bar each. */
  readonly labels: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly unit?: string;
}

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 48;
const BASE = 170;

/** Stacked bars, and the same numbers as a table. */
export function Plot({ title, labels, series, unit }: PlotProps) {
  const totals = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const top = Math.max(...totals, 0);
  if (top === 0) return <p class="quiet">{t('Nothing to plot yet.')}</p>;
  const step = (WIDTH - LEFT) / labels.length;
  const height = (value: number) => (value / top) * (BASE - 16);
  const every = Math.max(1, Math.ceil(labels.length / 6));
  return (
    <figure class="card">
      <figcaption>
        <strong>{title}</strong> {unit && <span class="quiet">({unit})</span>}
      </figcaption>
      <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        <text x="0" y="20">
          {number(top, 2)}
        </text>
        <text x="0" y={BASE}>
          0
        </text>
        {labels.map((label, at) => {
          let y = BASE;
          return (
            <g key={label}>
              {series.map(({ name, values }, index) => {
                const tall = height(values[at] ?? 0);
                y -= tall;
                return (
                  <rect
                    key={name}
                    class={`bar-${(index % 4) + 1}`}
                    x={LEFT + at * step + 1}
                    y={y}
                    width={Math.max(step - 2, 1)}
                    height={tall}
                  />
                );
              })}
              {at % every === 0 && (
                <text x={LEFT + at * step} y={BASE + 16}>
                  {label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <div class="legend">
        {series.map(({ name }, index) => (
          <span key={name}>
            <svg viewBox="0 0 8 8" aria-hidden="true">
              <rect class={`bar-${(index % 4) + 1}`} width="8" height="8" />
            </svg>{' '}
            {name}
          </span>
        ))}
      </div>
      <details>
        <summary>{t('As a table')}</summary>
        <Table
          caption={title}
          columns={[
            { label: t('When'), of: (row) => row.label },
            ...series.map(({ name, values }) => ({
              label: name,
              numeric: true,
              of: (row: { at: number }) => number(values[row.at], 2),
            })),
          ]}
          rows={labels.map((label, at) => ({ label, at }))}
        />
      </details>
    </figure>
  );
}
