import { type Json, remove } from '../data/api.ts';
import { endReason } from '../data/end-reasons.ts';
import { formatCurrency, length, number, orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { meterName } from '../data/meters.ts';
import { go, to } from '../data/route.ts';
import { storeSuite } from '../data/test-runs.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { FactList, JsonBlock as Whole } from '../kit/fact-list.tsx';
import { FigureTile } from '../kit/figure-tile.tsx';
import { Icon } from '../kit/icon.tsx';
import { lazy } from '../kit/lazy.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { usePlayer } from '../kit/player.ts';
import { Plot } from '../kit/plot.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';
import { TranscriptList } from '../kit/transcript-list.tsx';
import { Extraction, Slots, ToolCalls } from './call-activity.tsx';
import { Answered } from './call-answered.tsx';
import { CompareCalls, CompareWith } from './call-compare.tsx';
import { lineOf } from './call-lines.ts';
import { momentsOf } from './call-moments.ts';
import { Problems } from './call-problems.tsx';
import { Recording } from './call-recording.tsx';
import { suiteOf } from './call-suite.ts';
import { Timeline } from './call-timeline.tsx';

const STEPS = [
  ['endpoint', t('End of turn')],
  ['asr', t('Words')],
  ['brain', t('Answer')],
  ['tts', t('Voice')],
] as const;

const CallPath = lazy(async () => (await import('./call-path.tsx')).CallPath);

const isBeingStored = ({ recording_result: recording }: Json): boolean => recording?.status === 'pending';

export interface CallProps {
  readonly id: string;
  readonly rest?: readonly string[];
}

export function Call({ id, rest = [] }: CallProps) {
  const [verb, of] = rest;
  return verb === 'with' && of !== undefined ? (
    <CompareCalls ids={[id, of]} />
  ) : (
    <OneCall id={id} atMs={verb === 'at' && of !== undefined ? Number(of) : null} />
  );
}

function OneCall({ id, atMs }: { readonly id: string; readonly atMs: number | null }) {
  const { data, error } = useLoad(`/v1/omni/calls/${id}`, isBeingStored);
  // A large or old transcript is stored apart from its record.
  const apart = useLoad(data?.transcript_url ? `/v1/omni/calls/${id}/transcript` : null);
  const { data: whole } = useLoad(data === null ? null : `/v1/calls/${id}`);
  const judged = useJudgement(id);
  const player = usePlayer();
  if (data === null)
    return (
      <Page title={t('Call')}>
        <LoadingState error={error} />
      </Page>
    );
  const entries: Json[] = (data.transcript ?? apart.data)?.entries ?? [];
  const startsAt: number = data.recording_result?.starts_at_ms ?? 0;
  return (
    <Page title={t('Call of {when}', { when: time(data.started_at) })}>
      <CallFigures call={data} whole={whole} entries={entries} />
      <Problems call={data} entries={entries} judged={judged} />
      <Recording call={data} entries={entries} player={player} />
      <Timeline
        call={data}
        moments={momentsOf({ call: data, entries, whole, judged })}
        player={player}
        startsAtMs={startsAt}
        atMs={atMs}
      />
      {(data.path ?? []).length > 0 && <CallPath call={data} />}
      <div class="row below">
        <CompareWith call={data} />
        {entries.some(({ role }) => role === 'user') && (
          <a
            class="button"
            href={`data:text/yaml;charset=utf-8,${encodeURIComponent(suiteOf(data, entries))}`}
            download={`${data.call_id}.yaml`}
          >
            <Icon name="done" /> {t('Make a test of this call')}
          </a>
        )}
        {data.agent_id !== null && entries.some(({ role }) => role === 'user') && (
          <button
            type="button"
            onClick={() => {
              storeSuite(data.agent_id, suiteOf(data, entries));
              go('tests', data.agent_id);
            }}
          >
            {t('Run it as a test')}
          </button>
        )}
      </div>
      <p class="quiet small">
        {t('A test says the caller’s words to the agent again, after each change: npx trunkline test FILE.')}
      </p>
      <details class="card">
        <summary>{t('Facts')}</summary>
        <FactList
          of={[
            [t('Id'), <code key="id">{data.call_id}</code>],
            [
              t('Agent'),
              data.agent_id ? <a href={to('agents', data.agent_id)}>{data.agent_id}</a> : data.session_label,
            ],
            [t('Version'), orNothing(data.agent_version)],
            [t('State'), <StateBadge key="state" of={data.status} />],
            [t('Ended by'), endReason(data.end_reason)],
            [t('Outcome'), orNothing(data.outcome?.replaceAll('_', ' '))],
            [t('Length'), length(data.duration_s)],
            [t('Language'), data.language],
            [t('Voice'), data.voice_id],
            [t('Person'), orNothing(data.external_id)],
            [t('Sent to other servers'), sentTo(data.providers ?? [])],
          ]}
        />
      </details>
      <div class="two">
        <section>
          <h2>{t('What was said')}</h2>
          <TranscriptList
            lines={entries.map(lineOf)}
            atMs={player.used ? player.seconds * 1000 + startsAt : null}
            onSeek={data.has_recording ? (ms) => player.seek((ms - startsAt) / 1000) : undefined}
          />
        </section>
        <section>
          <Turns turns={data.turns ?? []} />
          <ToolCalls calls={data.tool_calls ?? []} />
          <Slots slots={data.slots ?? []} />
          <Extraction data={data.extraction} />
          <Passages grounding={data.grounding ?? []} />
          <Answered talk={id} />
          <Judged data={judged} />
          <Record id={id} />
        </section>
      </div>
      <details>
        <summary>{t('The whole record')}</summary>
        <Whole of={data} />
      </details>
      <p>
        <ActionButton
          label={t('Forget this call')}
          danger
          run={() => remove(`/v1/omni/calls/${id}`)}
          then={() => go('calls')}
        />
      </p>
    </Page>
  );
}

const SENT: Readonly<Record<string, string>> = {
  speech: t('Voice'),
  recognition: t('Recognition'),
  brain: t('Answer'),
};

function sentTo(providers: readonly Json[]): string {
  const others = providers.filter(({ left_machine }) => left_machine);
  if (others.length === 0) return t('Nothing left this server');
  return others.map(({ kind, host }) => `${SENT[kind] ?? kind}: ${host}`).join(', ');
}

function Turns({ turns }: { readonly turns: readonly Json[] }) {
  if (turns.length === 0) return null;
  return (
    <>
      <h2>{t('Where each millisecond went')}</h2>
      <Plot
        title={t('Latency by turn')}
        unit={t('milliseconds')}
        labels={turns.map(({ turn_id }) => String(turn_id))}
        series={STEPS.map(([step, name]) => ({
          name,
          values: turns.map(({ latency_ms }) => Math.max(0, latency_ms[step] ?? 0)),
        }))}
      />
    </>
  );
}

function Passages({ grounding }: { readonly grounding: readonly Json[] }) {
  const rows = grounding.flatMap(({ turn_id, passages }) =>
    passages.map((passage: Json) => ({ turn_id, ...passage })),
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h2>{t('Passages used')}</h2>
      <Table
        caption={t('Passages used')}
        rows={rows}
        columns={[
          { label: t('Turn'), of: (row) => row.turn_id, numeric: true },
          { label: t('Document'), of: (row) => orNothing(row.source ?? row.document_id) },
          { label: t('Likeness'), of: (row) => number(row.score, 2), numeric: true },
          { label: t('Used'), of: (row) => (row.used ? t('Yes') : t('No')) },
        ]}
      />
    </>
  );
}

function useJudgement(id: string): Json {
  const list = useLoad(`/v1/trace/interactions?source_id=${id}`);
  const first = list.data?.data[0]?.id as string | undefined;
  return useLoad(first === undefined ? null : `/v1/trace/interactions/${first}`).data;
}

interface CallFiguresProps {
  readonly call: Json;
  readonly whole: Json;
  readonly entries: readonly Json[];
}

function CallFigures({ call, whole, entries }: CallFiguresProps) {
  const interrupted = entries.filter((entry) => entry.interrupted).length;
  const meters = Object.entries((whole?.cost.meters ?? {}) as Record<string, number>);
  return (
    <div class="cards">
      <FigureTile label={t('Length')} value={length(call.duration_s)} note={endReason(call.end_reason)} />
      <FigureTile
        label={t('Response latency')}
        value={number(call.latency_ms?.p50)}
        unit="ms"
        note={t('p95: {ms} ms', { ms: number(call.latency_ms?.p95) })}
      />
      <FigureTile
        label={t('Interruptions')}
        value={number(interrupted)}
        note={t('in {n} answers', { n: entries.filter(({ role }) => role === 'agent').length })}
      />
      <FigureTile
        label={t('Cost')}
        value={formatCurrency(whole?.cost.micros)}
        note={[
          t('at list price'),
          ...meters.map(([meter, micros]) => `${meterName(meter)} ${formatCurrency(micros)}`),
        ].join(' · ')}
      />
    </div>
  );
}

function Judged({ data }: { readonly data: Json }) {
  if (!data) return null;
  return (
    <>
      <h2>{t('Trace')}</h2>
      <p>
        <StateBadge of={data.verdict} />
      </p>
      <Table
        caption={t('Findings')}
        empty={t('Trace found nothing.')}
        rows={[...data.violations, ...data.findings]}
        columns={[
          { label: t('Rule'), of: (row) => row.title },
          { label: t('Severity'), of: (row) => <StateBadge of={row.severity} /> },
          { label: t('Words'), of: (row) => row.quote },
        ]}
      />
    </>
  );
}

function Record({ id }: { readonly id: string }) {
  const { data } = useLoad(`/v1/recap/calls?source_id=${id}`);
  const recap = data?.data[0];
  if (!recap) return null;
  return (
    <>
      <h2>{t('Recap')}</h2>
      <p>{recap.summary}</p>
      <p>
        <StateBadge of={recap.outcome} /> {recap.topics.join(', ')}
      </p>
      {recap.scores.length > 0 && (
        <Table
          caption={t('Scorecard')}
          rows={recap.scores}
          columns={[
            { label: t('Criterion'), of: (row) => row.criterion_id },
            { label: t('Score'), of: (row) => number(row.value, 2), numeric: true },
            { label: t('Because'), of: (row) => row.evidence.map(({ detail }: Json) => detail).join('; ') },
          ]}
        />
      )}
    </>
  );
}
