import { useState } from 'preact/hooks';
import { analyticsPath, costPerMinute, DAY_MS, midnight, shareOf } from '../data/analytics.ts';
import type { Json } from '../data/api.ts';
import { endReason } from '../data/end-reasons.ts';
import { formatCurrency, number, percent, time, weekday } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { useReadiness } from '../data/readiness.ts';
import { to } from '../data/route.ts';
import { useTelephony } from '../data/telephony.ts';
import { t } from '../i18n/index.ts';
import { CallTrouble, troubleOf } from '../kit/call-trouble.tsx';
import { FigureTile } from '../kit/figure-tile.tsx';
import { Icon } from '../kit/icon.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import { Plot, Spark } from '../kit/plot.tsx';
import { ShareBars } from '../kit/share-bars.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { FirstCall } from './first-call.tsx';

const DAYS = 7;
const asShare = (part: number, whole: number): string => {
  const share = shareOf(part, whole);
  return share === null ? '–' : percent(share);
};

export function Home() {
  const from = midnight(DAYS - 1);
  const { data, error } = useLoad(analyticsPath({ from, to: from + DAYS * DAY_MS }));
  const [turn, setTurn] = useState(0);
  return (
    <Page title={t('Home')}>
      <ErrorNotice error={error} />
      {data === null && error === null && <LoadingState error={null} />}
      {data !== null &&
        (data.total.calls === 0 ? <FirstCall made={() => setTurn(1)} /> : <Figures of={data} />)}
      <div class="two">
        <NextSteps key={turn} calls={data?.total.calls ?? 0} />
        <section class="card">
          <h2>{t('Server')}</h2>
          <Health />
        </section>
      </div>
    </Page>
  );
}

function Figures({ of: { total, buckets, failures } }: { readonly of: Json }) {
  const today: Json = buckets.at(-1);
  const perMinute = costPerMinute(total);
  return (
    <>
      <p class="lead">{t('The last seven days')}</p>
      <div class="cards">
        <FigureTile
          label={t('Calls today')}
          value={number(today.calls)}
          note={t('{n} in seven days', { n: number(total.calls) })}
        >
          <Spark values={buckets.map(({ calls }: Json) => calls)} />
        </FigureTile>
        <FigureTile
          label={t('Answered')}
          value={asShare(total.answered, total.calls)}
          note={t('{part} of {whole}', { part: number(total.answered), whole: number(total.calls) })}
        />
        <FigureTile
          label={t('Completed')}
          value={asShare(total.completed, total.calls)}
          note={t('{part} of {whole}', { part: number(total.completed), whole: number(total.calls) })}
        />
        <FigureTile
          label={t('Response latency')}
          value={number(total.latency_ms.p50)}
          unit="ms"
          note={t('as the caller hears it; p95: {ms} ms', { ms: number(total.latency_ms.p95) })}
        />
        <FigureTile
          label={t('Interruptions')}
          value={number(total.interruptions)}
          note={t('in {n} answers', { n: number(total.turns) })}
        />
        <FigureTile
          label={t('Cost')}
          value={formatCurrency(total.cost_micros)}
          note={
            perMinute === null ? t('at list price') : t('{sum} a minute', { sum: formatCurrency(perMinute) })
          }
        />
      </div>
      <div class="two">
        <Plot
          title={t('Calls by day')}
          labels={buckets.map(({ start }: Json) => weekday(start))}
          series={[
            { name: t('Completed'), values: buckets.map(({ completed }: Json) => completed) },
            { name: t('Failed'), values: buckets.map(({ failed }: Json) => failed), bad: true },
          ]}
        />
        <section class="card">
          <h2>{t('Why calls failed')}</h2>
          {failures.length === 0 ? (
            <p class="quiet">{t('No call failed in seven days.')}</p>
          ) : (
            <ShareBars
              bad
              rows={failures.map(({ reason, calls }: Json) => ({ name: endReason(reason), value: calls }))}
            />
          )}
          <LastCalls />
        </section>
      </div>
    </>
  );
}

function LastCalls() {
  const { data } = useLoad('/v1/omni/calls?limit=4');
  const agents = useLoad('/v1/agents?limit=100');
  if (data === null || data.data.length === 0) return null;
  return (
    <>
      <h3>{t('Latest calls')}</h3>
      <ul class="list latest">
        {data.data.map((call: Json) => (
          <li key={call.call_id}>
            <a class="grow" href={to('calls', call.call_id)}>
              {time(call.started_at)}
            </a>
            <span class="quiet">{agents.data?.data.find(({ id }: Json) => id === call.agent_id)?.name}</span>
            <CallTrouble of={call} />
            {troubleOf(call).length === 0 && <StateBadge of={call.status} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Health() {
  const { data, error } = useReadiness();
  if (data === null) return <LoadingState error={error} />;
  const missing = data.parts.filter(({ ready }: Json) => !ready);
  return (
    <>
      <p>
        <StateBadge of={data.status} />{' '}
        {data.parts.length > 0 &&
          t('{ready} of {all} parts are ready.', {
            ready: number(data.parts.length - missing.length),
            all: number(data.parts.length),
          })}
      </p>
      {missing.length > 0 && (
        <ul class="list">
          {missing.map(({ name, detail }: Json) => (
            <li key={name}>
              <Icon name="alert" />
              <span>
                {name} <span class="quiet">{detail}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {data.parts.length > 0 && <a href={to('status')}>{t('All parts')}</a>}
    </>
  );
}

const MANY = 'limit=1';

function NextSteps({ calls }: { readonly calls: number }) {
  const agents = useLoad(`/v1/agents?${MANY}`);
  const bases = useLoad(`/v1/knowledgebases?${MANY}`);
  const numbers = useLoad(useTelephony() ? `/v1/telephony/numbers?${MANY}` : null);
  const keys = useLoad('/v1/keys');
  const has = ({ data }: { data: Json }): boolean => (data?.data.length ?? 0) > 0;
  const steps = [
    [has(agents), to('agents'), t('Build an agent')],
    [calls > 0, to('live'), t('Talk to it, and watch the call')],
    [has(bases), to('knowledge'), t('Let it answer from your documents')],
    [has(numbers), to('numbers'), t('Give it a telephone number')],
    [has(keys), to('keys'), t('Make a key for your program')],
  ] as const;
  if (steps.every(([done]) => done)) return null;
  return (
    <section class="card">
      <h2>{t('What to do next')}</h2>
      <ul class="list steps">
        {steps.map(([done, href, label]) => (
          <li key={href} class={done ? 'done' : ''}>
            <Icon name={done ? 'done' : 'todo'} />
            <a href={href}>{label}</a>
            {done && <span class="hidden">{t('Done.')}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
