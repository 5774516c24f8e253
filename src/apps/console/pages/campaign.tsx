import { useState } from 'preact/hooks';
import { fetchRaw, type Json, patch, post } from '../data/api.ts';
import { length, number, orNothing, percent, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Choose } from '../kit/choose.tsx';
import { FactList, JsonBlock as Whole } from '../kit/fact-list.tsx';
import { Form } from '../kit/form.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';
import { notify } from '../kit/toast.tsx';
import { numbersOf } from './campaign-people.ts';
import { callingHours, refusalText, waitingText } from './campaign-words.ts';

const isRunning = ({ state }: Json): boolean => state === 'running';

export function Campaign({ id }: { readonly id: string }) {
  const path = `/v1/telephony/campaigns/${id}`;
  const campaign = useLoad(path, isRunning);
  const report = useLoad(`${path}/report`, isRunning);
  const { data } = campaign;
  const agent = useLoad(data === null ? null : `/v1/agents/${data.agent_id}`);
  if (data === null)
    return (
      <Page title={t('Campaign')}>
        <LoadingState error={campaign.error} />
      </Page>
    );
  const changed = () => {
    campaign.reload();
    report.reload();
  };
  return (
    <Page title={data.name}>
      <ErrorNotice error={campaign.error ?? report.error} />
      <div class="card">
        <FactList
          of={[
            [t('State'), <StateBadge key="state" of={data.state} />],
            [t('Calls from'), data.from],
            [
              t('Agent'),
              <a key="agent" href={to('agents', data.agent_id)}>
                {agent.data?.name ?? data.agent_id}
              </a>,
            ],
            [t('Hours'), data.windows === null ? t('any') : callingHours(data.windows)],
            [t('Calls at once'), orNothing(data.pacing.concurrent)],
            [t('Calls a minute'), orNothing(data.pacing.calls_per_minute)],
            [t('Attempts'), number(data.retries?.attempts ?? 1)],
            [t('Begun'), time(data.started_at)],
            [t('Ended'), time(data.ended_at)],
          ]}
        />
      </div>
      {report.data !== null && (
        <Progress campaign={data} report={report.data} path={path} changed={changed} />
      )}
      {data.state !== 'done' && <Targets name={data.name} path={path} changed={changed} />}
      <TargetList id={id} path={path} turn={report.data?.attempts ?? 0} all={report.data?.targets} />
      <h2>{t('Telephone calls')}</h2>
      <div class="card">
        <PagedTable
          key={report.data?.attempts}
          caption={t('Telephone calls')}
          path={`/v1/telephony/calls?campaign_id=${id}`}
          columns={[
            { label: t('When'), of: (row) => time(row.created_at) },
            { label: t('To'), of: (row) => row.to },
            { label: t('State'), of: (row) => <StateBadge of={row.end_reason ?? row.state} /> },
            { label: t('Why'), of: (row) => orNothing(row.end_detail) },
            { label: t('Length'), of: (row) => length(row.duration_s), numeric: true },
            {
              label: t('Call'),
              of: ({ omni_call_id: talk }) =>
                talk === null ? '–' : <a href={to('calls', talk)}>{t('See the record')}</a>,
            },
          ]}
        />
      </div>
      <details>
        <summary>{t('The whole record')}</summary>
        <Whole of={data} />
      </details>
    </Page>
  );
}

interface PartProps {
  readonly path: string;
  readonly changed: () => void;
}

interface ProgressProps extends PartProps {
  readonly campaign: Json;
  readonly report: Json;
}

function Progress({ campaign, report, path, changed }: ProgressProps) {
  const { waiting, calling, done } = report.targets;
  const all = waiting + calling + done;
  const share = all === 0 ? 0 : done / all;
  const outcomes = Object.entries(report.outcomes as Readonly<Record<string, number>>);
  const waits = waitingText(campaign, report.targets);
  const refusals = [...new Set(outcomes.flatMap(([outcome]) => outcome.split(/, */)))]
    .map(refusalText)
    .filter((text) => text !== null);
  const callNow = async () => {
    await patch(path, { windows: null });
    notify(t('People are called at any hour.'));
  };
  return (
    <section class="card" aria-label={t('Progress')}>
      <h2>{t('Progress')}</h2>
      <progress max={1} value={share} aria-label={t('Progress')}>
        {percent(share)}
      </progress>
      <p role="status">
        {t('{done} of {all} people are done, {calling} are being called, {waiting} wait. {attempts} calls.', {
          done: number(done),
          all: number(all),
          calling: number(calling),
          waiting: number(waiting),
          attempts: number(report.attempts),
        })}
      </p>
      {waits !== null && <p>{waits}</p>}
      <p class="row">
        {report.state === 'draft' && all > 0 && (
          <ActionButton label={t('Start calling')} main run={() => post(`${path}/start`)} then={changed} />
        )}
        {report.state === 'draft' && all === 0 && t('Add people to call, then start.')}
        {report.state === 'paused' && (
          <ActionButton label={t('Go on calling')} main run={() => post(`${path}/start`)} then={changed} />
        )}
        {report.state === 'running' && (
          <ActionButton label={t('Pause')} main run={() => post(`${path}/pause`)} then={changed} />
        )}
        {report.state === 'running' && campaign.windows !== null && waiting > 0 && (
          <ActionButton label={t('Call at any hour')} danger run={callNow} then={changed} />
        )}
      </p>
      {outcomes.length > 0 && (
        <Table
          caption={t('How calls ended')}
          rows={outcomes}
          columns={[
            { label: t('How calls ended'), of: ([outcome]) => <StateBadge of={outcome} /> },
            { label: t('People'), of: ([, count]) => number(count), numeric: true },
          ]}
        />
      )}
      {refusals.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {refusals.length > 0 && <a href={to('trace')}>{t('Trace')}</a>}
    </section>
  );
}

const tableOf = (text: string): string => (/^\s*\+?\d/.test(text) ? `to\n${text}` : text);

const MOST_CONSENTS = 100;

async function recordConsents(numbers: readonly string[], name: string): Promise<void> {
  for (const phone_number of numbers)
    await post('/v1/trace/consents', {
      phone_number,
      basis: 'prior_express_consent',
      obtained_at: Date.now(),
      evidence: `Confirmed in the console for the campaign ${name}`.slice(0, 2000),
    });
}

function Targets({ name, path, changed }: PartProps & { readonly name: string }) {
  const add = async ({ file, lines, agreed }: Json) => {
    const given = file instanceof File && file.size > 0 ? file : null;
    if (given === null && !lines) throw new Error(t('Choose a file, or write numbers.'));
    const table = given ?? new File([tableOf(lines)], 'people.csv', { type: 'text/csv' });
    const numbers = agreed ? numbersOf(await table.text()) : [];
    if (numbers.length > MOST_CONSENTS)
      throw new Error(t('The consents of more than 100 people are recorded by a program, under Trace.'));
    const form = new FormData();
    form.set('file', table);
    await post(`${path}/targets`, form);
    await recordConsents(numbers, name);
    changed();
  };
  return (
    <section class="card" aria-label={t('People to call')}>
      <h2>{t('People to call')}</h2>
      <Form
        fields={[
          {
            name: 'file',
            label: t('A table (CSV)'),
            kind: 'file',
            hint: t('Its first row names the columns: one is “to”, the others are what the agent may say.'),
          },
          {
            name: 'lines',
            label: t('Or numbers, one a line'),
            kind: 'area',
            hint: t('With the country code: +15550100.'),
          },
          {
            name: 'agreed',
            label: t('Each of them agreed to be called'),
            kind: 'check',
            hint: t('Nobody is called without a recorded consent. This records it for each number.'),
          },
        ]}
        submit={t('Add')}
        clears
        onSubmit={add}
      />
    </section>
  );
}

interface TargetListProps {
  readonly id: string;
  readonly path: string;
  readonly turn: number;
  /** The number of people. The list is read again when it changes. */
  readonly all: Json;
}

function TargetList({ id, path, turn, all }: TargetListProps) {
  const [state, setState] = useState('');
  const save = async () => {
    const table = await fetchRaw('GET', `${path}/export${state === '' ? '' : `?state=${state}`}`);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await table.blob());
    link.download = `${id}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <section class="card">
      <div class="row ends">
        <h2>{t('People')}</h2>
        <ActionButton label={t('Export (CSV)')} of={t('People')} run={save} />
      </div>
      <Choose
        label={t('State')}
        value={state}
        options={[
          ['', t('All')],
          ['waiting', t('Waiting')],
          ['calling', t('Being called')],
          ['done', t('Done')],
        ]}
        onChange={setState}
      />
      <PagedTable
        key={JSON.stringify(all ?? turn)}
        caption={t('People')}
        path={`${path}/targets${state === '' ? '' : `?state=${state}`}`}
        storedAs="targets"
        empty={t('Nobody is on the list.')}
        columns={[
          { label: t('To'), of: (row) => row.to },
          { label: t('State'), of: (row) => <StateBadge of={row.state} />, sort: (row) => row.state },
          { label: t('Outcome'), of: (row) => orNothing(row.outcome?.replaceAll('_', ' ')) },
          {
            label: t('Attempts'),
            of: (row) => number(row.attempts),
            numeric: true,
            sort: (row) => row.attempts,
          },
          { label: t('Not before'), of: (row) => time(row.next_at), sort: (row) => row.next_at ?? 0 },
          {
            label: t('What the agent may say'),
            of: (row) =>
              orNothing(
                Object.entries(row.variables)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join(', '),
              ),
          },
        ]}
      />
    </section>
  );
}
