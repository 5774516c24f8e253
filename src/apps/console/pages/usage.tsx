import type { Json } from '../data/api.ts';
import { formatCurrency, number, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { LoadingState, Page } from '../kit/page.tsx';
import { Plot } from '../kit/plot.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

const DAYS = 30;
const DAY_MS = 86_400_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const daysUntil = (now: number): string[] =>
  Array.from({ length: DAYS }, (_, back) => dayOf(now - (DAYS - 1 - back) * DAY_MS));

function seriesOf(rows: readonly Json[], days: readonly string[]) {
  const meters = [...new Set(rows.map(({ meter }) => meter as string))].sort();
  return meters.map((meter) => ({
    name: meter,
    values: days.map((day) =>
      rows
        .filter((row) => row.meter === meter && row.day === day)
        .reduce((sum: number, row) => sum + row.milliseconds / 60_000, 0),
    ),
  }));
}

export function Usage() {
  const days = daysUntil(Date.now());
  const query = `from=${days[0]}&to=${days.at(-1)}&group_by=day,meter`;
  const usage = useLoad(`/v1/billing/usage?${query}`);
  const invoices = useLoad('/v1/billing/invoices');
  const me = useLoad('/v1/me');
  return (
    <Page title={t('Usage and costs')}>
      {me.data && (
        <div class="cards">
          <div class="card">
            <div class="quiet">{t('Balance')}</div>
            <div class="number">{formatCurrency(me.data.credit.balance_micros)}</div>
          </div>
          <div class="card">
            <div class="quiet">{t('Reserved for running work')}</div>
            <div class="number">{formatCurrency(me.data.credit.held_micros)}</div>
          </div>
        </div>
      )}
      {usage.data ? (
        <Plot
          title={t('The last thirty days')}
          unit={t('minutes')}
          labels={days.map((day) => day.slice(5))}
          series={seriesOf(usage.data.data, days)}
        />
      ) : (
        <LoadingState error={usage.error} />
      )}
      <h2>{t('Invoices')}</h2>
      {invoices.data ? (
        <>
          <Plot
            title={t('Costs by month')}
            labels={[...invoices.data.data].reverse().map(({ period }: Json) => period)}
            series={[
              {
                name: t('Amount'),
                values: [...invoices.data.data].reverse().map((row: Json) => row.amount_micros / 1e6),
              },
            ]}
          />
          <Table
            caption={t('Invoices')}
            rows={invoices.data.data}
            columns={[
              { label: t('Month'), of: (row) => row.period },
              { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
              { label: t('Amount'), of: (row) => formatCurrency(row.amount_micros), numeric: true },
              { label: t('Issued'), of: (row) => time(row.issued_at) },
              {
                label: t('Lines'),
                of: (row) =>
                  row.lines
                    .map(
                      (line: Json) =>
                        `${line.meter}: ${number(line.units)} (${formatCurrency(line.amount_micros)})`,
                    )
                    .join('; ') || '–',
              },
            ]}
          />
        </>
      ) : (
        <LoadingState error={invoices.error} />
      )}
    </Page>
  );
}
