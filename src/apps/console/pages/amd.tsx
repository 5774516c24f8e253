import { useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { number, orNothing, percent, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Empty } from '../kit/empty.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

export function Amd() {
  return (
    <Page title={t('Answering machines')}>
      <div class="two">
        <Settings />
        <Tuning />
      </div>
      <h2>{t('Judged calls')}</h2>
      <div class="card">
        <PagedTable
          caption={t('Judged calls')}
          path="/v1/amd/calls"
          empty={
            <Empty
              icon="machine"
              says={t(
                'Calls that detection judged are listed here: who or what answered, and by which evidence.',
              )}
            />
          }
          columns={[
            { label: t('When'), of: (row) => <a href={to('amd', row.id)}>{time(row.created_at)}</a> },
            { label: t('Answered by'), of: (row) => <StateBadge of={row.answered_by} /> },
            { label: t('Sure'), of: (row) => percent(row.confidence), numeric: true },
            { label: t('After (ms)'), of: (row) => number(row.at_ms), numeric: true },
            { label: t('Actual'), of: (row) => orNothing(row.corrected_to) },
            { label: t('Number'), of: (row) => orNothing(row.to) },
          ]}
        />
      </div>
    </Page>
  );
}

function Settings() {
  const { data, error, reload } = useLoad('/v1/amd/config');
  if (data === null) return <LoadingState error={error} />;
  return (
    <section class="card" key={JSON.stringify(data)}>
      <h2>{t('Settings')}</h2>
      <Form
        submit={t('Save')}
        fields={[
          {
            name: 'aggressiveness',
            label: t('Aggressiveness'),
            kind: 'number',
            value: data.aggressiveness,
            hint: t('0: wait until it is sure. 1: decide early.'),
          },
          {
            name: 'mode',
            label: t('Mode'),
            kind: 'choice',
            options: [
              ['detect', t('Decide once')],
              ['message_end', t('Wait for the end of the message')],
              ['follow', t('Go on judging')],
            ],
            value: data.mode,
          },
          { name: 'timeout_ms', label: t('At most (ms)'), kind: 'number', value: data.timeout_ms },
          { name: 'webhook_url', label: t('Webhook'), value: data.webhook_url ?? '' },
        ]}
        onSubmit={async (values) => {
          await post('/v1/amd/config', { ...values, webhook_url: values.webhook_url ?? null });
          reload();
        }}
      />
    </section>
  );
}

function Tuning() {
  const [at, setAt] = useState<number | null>(null);
  const { data, error } = useLoad(`/v1/amd/report${at === null ? '' : `?aggressiveness=${at}`}`);
  return (
    <section class="card">
      <h2>{t('Tuning by replay')}</h2>
      <p class="quiet">{t('Calls that people corrected are judged again from their evidence.')}</p>
      <label for="replay">
        {t('Replay with aggressiveness {n}', { n: at === null ? '–' : number(at, 2) })}
      </label>
      <input
        id="replay"
        type="range"
        min="0"
        max="1"
        step="0.1"
        value={at ?? 0.5}
        onChange={(event) => setAt(Number(event.currentTarget.value))}
      />
      {data === null ? <LoadingState error={error} /> : <Matrix report={data} />}
    </section>
  );
}

function Matrix({ report }: { readonly report: Json }) {
  const { confusion } = report;
  const classes = [
    ...new Set([
      ...Object.keys(confusion),
      ...Object.values(confusion).flatMap((row) => Object.keys(row as Json)),
    ]),
  ].sort();
  return (
    <>
      <p>
        {t(
          '{right} of {calls} correct; {machines} people detected as machines; {humans} machines detected as people.',
          {
            right: report.right,
            calls: report.calls,
            machines: report.humans_called_machines,
            humans: report.machines_called_humans,
          },
        )}
      </p>
      <Table
        caption={t('Confusion matrix: actual by detected')}
        empty={t('Nobody has corrected a call yet.')}
        rows={Object.keys(confusion).map((really) => ({ id: really, ...confusion[really] }))}
        columns={[
          { label: t('Actual'), of: (row) => row.id },
          ...classes.map((judged) => ({
            label: judged,
            numeric: true,
            of: (row: Json) => number(row[judged] ?? 0),
          })),
        ]}
      />
    </>
  );
}
