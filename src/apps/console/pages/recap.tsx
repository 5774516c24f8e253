import { useState } from 'preact/hooks';
import { type Json, remove } from '../data/api.ts';
import { number, orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { samplesOf } from '../kit/code.tsx';
import { Empty } from '../kit/empty.tsx';
import { Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { Plot } from '../kit/plot.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

export function Recap() {
  const [card, setCard] = useState<Json>(null);
  return (
    <Page title={t('Recap')}>
      <div class="card">
        <PagedTable
          caption={t('Records of calls')}
          path="/v1/recap/calls"
          empty={
            <Empty
              icon="recap"
              says={t(
                'Recap analyzes each call: a summary, the outcome, the sentiment, and scores by your own criteria.',
              )}
              samples={samplesOf('GET', '/v1/recap/calls')}
            />
          }
          columns={[
            { label: t('When'), of: (row) => time(row.created_at) },
            {
              label: t('From'),
              of: ({ source }) => (
                <a href={to(source.kind === 'call' ? 'calls' : 'jobs', source.id)}>{source.kind}</a>
              ),
            },
            { label: t('Summary'), of: (row) => row.summary },
            { label: t('Outcome'), of: (row) => <StateBadge of={row.outcome} /> },
            { label: t('Mood'), of: (row) => number(row.sentiment.overall, 2), numeric: true },
            { label: t('Person'), of: (row) => orNothing(row.external_id) },
          ]}
        />
      </div>
      <h2>{t('Scorecards')}</h2>
      <Resource
        caption={t('Scorecards')}
        path="/v1/recap/scorecards"
        columns={[
          { label: t('Name'), of: (row) => row.name },
          { label: t('Criteria'), of: (row) => row.criteria.map(({ text }: Json) => text).join('; ') },
        ]}
        create={{
          label: t('Make a scorecard'),
          fields: [
            { name: 'name', label: t('Name'), needed: true },
            {
              name: 'criteria',
              label: t('Criteria (JSON)'),
              kind: 'json',
              needed: true,
              value: [
                {
                  id: 'listens',
                  text: t('The agent speaks less than the caller'),
                  kind: 'yes_no',
                  by: 'metric',
                  metric: 'agent_talk_share',
                  most: 0.5,
                },
              ],
            },
          ],
        }}
        acts={[
          {
            label: t('Trend'),
            run: async (row) => {
              setCard(row);
              return null;
            },
          },
          {
            label: t('Remove'),
            danger: true,
            run: (row) => quietly(remove(`/v1/recap/scorecards/${row.id}`)),
          },
        ]}
      />
      {card && <Trend card={card} />}
    </Page>
  );
}

function Trend({ card }: { readonly card: Json }) {
  const { data } = useLoad(`/v1/recap/scorecards/${card.id}/trends`);
  if (data === null) return null;
  const rows: readonly Json[] = data.data;
  const days = [...new Set(rows.map(({ day }) => day as string))].sort();
  const series = card.criteria.map(({ id, text }: Json) => ({
    name: text,
    values: days.map((day) => rows.find((row) => row.day === day && row.criterion_id === id)?.mean ?? 0),
  }));
  return <Plot title={card.name} labels={days} series={series} />;
}
