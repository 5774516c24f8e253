import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { number, time } from '../data/format.ts';
import { askAsOperator, useOperatorList } from '../data/operator.ts';
import { useReadiness } from '../data/readiness.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { FigureTile } from '../kit/figure-tile.tsx';
import { LoadingState } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { OperatorOnly } from './operator-only.tsx';

export const Server = () => (
  <OperatorOnly title={t('Server')}>
    <Nodes />
    <Section
      title={t('Queues')}
      path="/v1/operator/queues"
      empty={t('No job waits in any queue.')}
      columns={[
        { label: t('Queue'), of: (row) => <code>{row.name}</code>, sort: (row) => row.name },
        {
          label: t('Waiting'),
          of: (row) => number(row.waiting),
          sort: (row) => row.waiting,
          numeric: true,
        },
        {
          label: t('Running'),
          of: (row) => number(row.running),
          sort: (row) => row.running,
          numeric: true,
        },
        { label: t('Dead-lettered'), of: (row) => number(row.dead), sort: (row) => row.dead, numeric: true },
      ]}
    />
    <Section
      title={t('Dead-letter jobs')}
      path="/v1/jobs/dead?limit=50"
      empty={t('There are no dead-letter jobs.')}
      columns={[
        { label: t('Queue'), of: (row) => <code>{row.queue}</code>, sort: (row) => row.queue },
        { label: 'ID', of: (row) => <code>{row.id}</code> },
        { label: t('Attempts'), of: (row) => number(row.attempts), numeric: true },
        { label: t('Why'), of: (row) => row.error ?? '–' },
        { label: t('Made'), of: (row) => time(row.created_at), sort: (row) => row.created_at },
      ]}
      act={{
        label: t('Try again'),
        run: (row) => askAsOperator('POST', `/v1/jobs/dead/${row.id}/retry`),
      }}
    />
    <Section
      title={t('Webhooks that fail')}
      path="/v1/operator/webhooks/failing"
      empty={t('Every delivery of the last 24 hours has arrived.')}
      columns={[
        { label: t('Address'), of: (row) => row.host, sort: (row) => row.host },
        { label: t('Organization'), of: (row) => <code>{row.org_id}</code> },
        { label: t('Tried again'), of: (row) => number(row.retrying), numeric: true },
        { label: t('Dead-lettered'), of: (row) => number(row.dead), numeric: true },
        { label: t('Last answer'), of: (row) => row.last_status ?? row.last_error ?? '–' },
        { label: t('When'), of: (row) => time(row.last_attempt_at), sort: (row) => row.last_attempt_at },
      ]}
    />
    <Models />
    <Doctor />
    <Section
      title={t('Licences of the models')}
      path="/v1/operator/licences"
      empty={t('There is no model.')}
      columns={[
        { label: t('Model'), of: (row) => row.title, sort: (row) => row.title },
        { label: t('Version'), of: (row) => row.version ?? '–' },
        {
          label: t('Licence'),
          of: (row) => row.licence ?? t('Not stated'),
          sort: (row) => row.licence ?? '',
        },
        { label: t('Source'), of: (row) => <Origin of={row.origin} /> },
        {
          label: t('Comes with the product'),
          of: (row) => (row.built_in ? t('Yes') : t('No')),
          sort: (row) => String(row.built_in),
        },
        { label: t('State'), of: (row) => <StateBadge of={row.ready ? 'ready' : 'missing'} /> },
      ]}
    />
  </OperatorOnly>
);

function Nodes() {
  const { rows, error } = useOperatorList('/v1/operator/nodes');
  if (rows === null) return <LoadingState error={error} />;
  const sum = (name: string): number => rows.reduce((total, row) => total + (row.is_lost ? 0 : row[name]), 0);
  return (
    <>
      <div class="cards">
        <FigureTile label={t('Live calls')} value={number(sum('live_calls'))} />
        <FigureTile
          label={t('Free call capacity')}
          value={number(sum('free_calls'))}
          note={t('of {total} calls in total', { total: number(sum('call_capacity')) })}
        />
        <FigureTile
          label={t('Live nodes')}
          value={number(rows.filter((row) => !row.is_lost).length)}
          note={t('Lost: {lost}', { lost: number(rows.filter((row) => row.is_lost).length) })}
        />
      </div>
      <div class="card">
        <Table
          caption={t('Nodes')}
          rows={rows}
          columns={[
            {
              label: 'ID',
              of: (row) => (
                <>
                  <code>{row.id}</code> {row.is_this && t('(this node)')}
                </>
              ),
            },
            {
              label: t('State'),
              of: (row) => <StateBadge of={row.is_lost ? 'lost' : 'ready'} />,
            },
            { label: t('Address for other nodes'), of: (row) => row.url ?? '–' },
            { label: t('Live calls'), of: (row) => number(row.live_calls), numeric: true },
            { label: t('Free call capacity'), of: (row) => number(row.free_calls), numeric: true },
            { label: t('Started'), of: (row) => time(row.started_at), sort: (row) => row.started_at },
            { label: t('Seen'), of: (row) => time(row.seen_at), sort: (row) => row.seen_at },
          ]}
        />
      </div>
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly path: string;
  readonly empty: string;
  readonly columns: readonly Column[];
  readonly act?: { readonly label: string; readonly run: (row: Json) => Promise<unknown> };
}

function Section({ title, path, empty, columns, act }: SectionProps) {
  const { rows, error, again } = useOperatorList(path);
  const actions = act && {
    actions: (row: Json) => (
      <ActionButton label={act.label} of={row.id} run={() => act.run(row)} then={again} />
    ),
  };
  return (
    <div class="card">
      <h2>{title}</h2>
      {rows === null ? (
        <LoadingState error={error} />
      ) : (
        <Table caption={title} rows={rows} columns={columns} empty={empty} {...actions} />
      )}
    </div>
  );
}

function Models() {
  const { data, error } = useReadiness();
  if (data === null) return <LoadingState error={error} />;
  const device = data.parts.find((part: Json) => part.name === 'device');
  return (
    <div class="card">
      <h2>{t('Models and devices')}</h2>
      <Table
        caption={t('Models and devices')}
        rows={device?.models ?? []}
        columns={[
          { label: t('Model'), of: (row) => row.name, sort: (row) => row.name },
          { label: t('Device'), of: (row) => row.device, sort: (row) => row.device },
          { label: t('Why'), of: (row) => row.reason },
        ]}
      />
      <p class="quiet">
        {t('The status page lists each part that is not ready, with the command that fixes it.')}{' '}
        <a href="#/status">{t('Status')}</a>
      </p>
    </div>
  );
}

const Origin = ({ of }: { readonly of: string }) =>
  of.startsWith('https://') ? (
    <a href={of} rel="noreferrer">
      {of.replace('https://', '')}
    </a>
  ) : (
    <code>{of}</code>
  );

const stateOf = ({ works, required }: Json): string => (works ? 'ready' : required ? 'failed' : 'off');
/** Failed parts come first. */
const RANK = ['failed', 'off', 'ready'];

function Doctor() {
  const [report, setReport] = useState<Json | null>(null);
  const run = async () => setReport(await askAsOperator('GET', '/v1/operator/doctor'));
  const rows = [...(report?.findings ?? [])].sort(
    (a, b) => RANK.indexOf(stateOf(a)) - RANK.indexOf(stateOf(b)),
  );
  return (
    <div class="card">
      <h2>{t('What works on this machine')}</h2>
      <p class="quiet">
        {t('The checks of the command {command}. They open every model, and take up to two minutes.', {
          command: 'npx trunkline doctor',
        })}
      </p>
      <p class="row">
        <ActionButton label={t('Run the checks')} main run={run} />
        {report !== null && (
          <span role="status">
            <StateBadge of={report.works ? 'ready' : 'failed'} />{' '}
            {t('Checked {time} on {node}', { time: time(report.checked_at), node: report.node })}
          </span>
        )}
      </p>
      {report !== null && (
        <Table
          caption={t('What works on this machine')}
          rows={rows}
          columns={[
            { label: t('State'), of: (row) => <StateBadge of={stateOf(row)} /> },
            { label: t('Part'), of: (row) => row.name, sort: (row) => row.name },
            { label: t('Why'), of: (row) => row.detail ?? '–' },
          ]}
        />
      )}
    </div>
  );
}
