import { useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { go, to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { samplesOf } from '../kit/code.tsx';
import { Empty } from '../kit/empty.tsx';
import { type Field, Form } from '../kit/form.tsx';
import { LoadingState } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { TelephonyPage } from '../kit/telephony-page.tsx';
import { makeFirstAgent } from './first-call.tsx';
import { isTrial, takeFirstNumber } from './first-number.ts';

const PATH = '/v1/telephony/campaigns';
const WORKDAYS = [1, 2, 3, 4, 5];
const MINUTE_S = 60;

const fieldsOf = (numbers: readonly Json[], agents: readonly Json[]): Field[] => [
  { name: 'name', label: t('Name'), needed: true },
  {
    name: 'from',
    label: t('Calls from'),
    kind: 'choice',
    options: numbers.map(({ phone_number }) => [phone_number, phone_number] as const),
    value: numbers[0]?.phone_number,
    needed: true,
  },
  {
    name: 'agent_id',
    label: t('Agent'),
    kind: 'choice',
    options: agents.map(({ id, name }) => [id, name] as const),
    value: agents[0]?.id,
    needed: true,
  },
  { name: 'concurrent', label: t('Calls at once'), kind: 'number', value: 5 },
  { name: 'calls_per_minute', label: t('Calls a minute'), kind: 'number', value: 60 },
  {
    name: 'window_from',
    label: t('Calls are made from'),
    value: '09:00',
    hint: t('In the time zone of the called number. Empty: at any hour.'),
  },
  { name: 'window_to', label: t('Calls are made until'), value: '18:00' },
  {
    name: 'time_zone',
    label: t('Time zone'),
    value: Intl.DateTimeFormat().resolvedOptions().timeZone,
    hint: t('For numbers whose time zone is not known.'),
  },
  { name: 'workdays', label: t('Monday to Friday alone'), kind: 'check', value: true },
  {
    name: 'attempts',
    label: t('Attempts'),
    kind: 'number',
    value: 2,
    hint: t('The first call counts. Who was busy or did not answer is called again.'),
  },
  { name: 'after_minutes', label: t('Minutes between attempts'), kind: 'number', value: 60 },
  {
    name: 'message',
    label: t('Left on a voicemail'),
    kind: 'area',
    hint: t('Spoken after the beep. If empty, the agent talks to a voicemail as it does to a person.'),
  },
];

function bodyOf(values: Json): Json {
  const { name, from, agent_id, concurrent, calls_per_minute, message } = values;
  const { window_from, window_to, time_zone, workdays, attempts, after_minutes } = values;
  const hours = {
    from: window_from,
    to: window_to,
    ...(time_zone ? { time_zone } : {}),
    ...(workdays ? { days: WORKDAYS } : {}),
  };
  return {
    name,
    from,
    agent_id,
    pacing: { concurrent, calls_per_minute },
    ...(window_from || window_to ? { windows: hours } : {}),
    ...(attempts > 1 ? { retries: { attempts, after_s: Math.round((after_minutes ?? 60) * MINUTE_S) } } : {}),
    ...(message ? { amd: { mode: 'message_end' }, message } : {}),
  };
}

export function Campaigns() {
  const [isFirst, setFirst] = useState(false);
  return (
    <TelephonyPage
      title={t('Campaigns')}
      lead={t('A campaign calls everyone on a list: create it, add the list, start it.')}
    >
      <div class="card">
        <PagedTable
          caption={t('Campaigns')}
          path={PATH}
          onEmpty={() => setFirst(true)}
          empty={
            <Empty
              icon="campaign"
              says={t('A campaign calls many people, in the hours and as often as you allow.')}
              samples={samplesOf('POST', '/v1/telephony/campaigns', {
                name: 'Reminders',
                from: '+15005550001',
                agent_id: 'agt_…',
                targets: [{ to: '+15005550002' }],
              })}
            />
          }
          againWhile={({ state }) => state === 'running'}
          columns={[
            { label: t('Name'), of: (row) => <a href={to('campaigns', row.id)}>{row.name}</a> },
            { label: t('State'), of: (row) => <StateBadge of={row.state} /> },
            { label: t('From'), of: (row) => orNothing(row.from) },
            { label: t('Made'), of: (row) => time(row.created_at) },
            { label: t('Begun'), of: (row) => time(row.started_at) },
          ]}
        />
      </div>
      <Make isFirst={isFirst} />
    </TelephonyPage>
  );
}

function Make({ isFirst }: { readonly isFirst: boolean }) {
  const numbers = useLoad('/v1/telephony/numbers?limit=100');
  const agents = useLoad('/v1/agents?limit=100');
  const own = (numbers.data?.data ?? []).filter(({ status }: Json) => status === 'active');
  const known: readonly Json[] = agents.data?.data ?? [];
  if (numbers.data === null || agents.data === null)
    return <LoadingState error={numbers.error ?? agents.error} />;
  return (
    <details class="card" open={isFirst}>
      <summary>{t('Make a campaign')}</summary>
      {own.length === 0 || known.length === 0 ? (
        <>
          {own.length === 0 && (
            <p>
              {t('A campaign needs a number to call from.')}{' '}
              {isTrial() ? (
                <ActionButton
                  label={t('Take a trial number')}
                  run={() => takeFirstNumber(known[0]?.id)}
                  then={numbers.reload}
                />
              ) : (
                <a href={to('numbers')}>{t('Take a number')}</a>
              )}
            </p>
          )}
          {known.length === 0 && (
            <p>
              {t('A campaign needs an agent that talks.')}{' '}
              <ActionButton label={t('Make an agent')} run={makeFirstAgent} then={agents.reload} />
            </p>
          )}
        </>
      ) : (
        <Form
          fields={fieldsOf(own, known)}
          submit={t('Create')}
          onSubmit={async (values) => go('campaigns', (await post(PATH, bodyOf(values))).id)}
        />
      )}
    </details>
  );
}
