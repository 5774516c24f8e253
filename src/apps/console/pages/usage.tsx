import { entered, type Json } from '../data/api.ts';
import { formatCurrency, number, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { meterName, pricedBy } from '../data/meters.ts';
import { t } from '../i18n/index.ts';
import { FigureTile } from '../kit/figure-tile.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { Plot } from '../kit/plot.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

const DAYS = 30;
const DAY_MS = 86_400_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const daysUntil = (now: number): string[] =>
  Array.from({ length: DAYS }, (_, back) => dayOf(now - (DAYS - 1 - back) * DAY_MS));

function seriesOf(rows: readonly Json[], days: readonly string[], measure: (row: Json) => number) {
  const meters = [...new Set(rows.map(({ meter }) => meter as string))].sort();
  return meters.map((meter) => ({
    name: meterName(meter),
    values: days.map((day) =>
      sumOf(
        rows.filter((row) => row.meter === meter && row.day === day),
        measure,
      ),
    ),
  }));
}

const sumOf = (rows: readonly Json[], measure: (row: Json) => number): number =>
  rows.reduce((sum: number, row) => sum + measure(row), 0);

export function Usage() {
  const days = daysUntil(Date.now());
  const isLive = entered()?.environment === 'live';
  const environment = isLive ? 'live' : 'sandbox';
  const query = `from=${days[0]}&to=${days.at(-1)}&group_by=day,meter&environment=${environment}`;
  const usage = useLoad(`/v1/billing/usage?${query}`);
  const invoices = useLoad('/v1/billing/invoices');
  const me = useLoad('/v1/me');
  const costOf = pricedBy(invoices.data?.data ?? []);
  const isPriced = usage.data !== null && invoices.data !== null;
  const costOn = (day: string): number =>
    sumOf(
      usage.data.data.filter((row: Json) => row.day === day),
      isLive ? costOf : () => 0,
    );
  return (
    <Page
      title={t('Usage and costs')}
      lead={t('Amounts are in the currency in which the operator of this server bills.')}
    >
      {me.data && (
        <div class="cards">
          {[t('Cost today'), t('Cost yesterday')].map((label, back) => (
            <FigureTile
              key={label}
              label={label}
              value={isPriced ? formatCurrency(costOn(days.at(-1 - back) as string)) : '–'}
              note={isLive ? t('before free units') : t('The sandbox is free.')}
            />
          ))}
          <FigureTile label={t('Balance')} value={formatCurrency(me.data.credit.balance_micros)} />
          <FigureTile
            label={t('Reserved for running work')}
            value={formatCurrency(me.data.credit.held_micros)}
          />
        </div>
      )}
      {usage.data ? (
        <>
          {isLive && (
            <div class="card">
              <Table
                caption={t('Today and yesterday')}
                rows={[...new Set(usage.data.data.map(({ meter }: Json) => meter))].map((meter) => ({
                  meter,
                }))}
                columns={[
                  { label: t('What'), of: ({ meter }) => meterName(meter) },
                  ...[t('Cost today'), t('Cost yesterday')].map((label, back) => ({
                    label,
                    numeric: true,
                    of: ({ meter }: Json) =>
                      formatCurrency(
                        sumOf(
                          usage.data.data.filter(
                            (row: Json) => row.meter === meter && row.day === days.at(-1 - back),
                          ),
                          costOf,
                        ),
                      ),
                  })),
                ]}
              />
            </div>
          )}
          <Plot
            title={t('The last thirty days')}
            unit={t('minutes')}
            labels={days.map((day) => day.slice(5))}
            series={seriesOf(usage.data.data, days, ({ milliseconds }) => milliseconds / 60_000)}
          />
          {isLive && (
            <Plot
              title={t('Costs by day')}
              labels={days.map((day) => day.slice(5))}
              series={seriesOf(usage.data.data, days, (row) => costOf(row) / 1e6)}
            />
          )}
          <p class="quiet small">{t('A day begins at midnight UTC.')}</p>
        </>
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
          <div class="card">
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
                          `${meterName(line.meter)}: ${number(line.units)} (${formatCurrency(line.amount_micros)})`,
                      )
                      .join('; ') || '–',
                },
              ]}
            />
          </div>
        </>
      ) : (
        <LoadingState error={invoices.error} />
      )}
    </Page>
  );
}
