import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { time } from '../data/format.ts';
import { useLive } from '../data/live.ts';
import { useLoad } from '../data/load.ts';
import { useTelephony } from '../data/telephony.ts';
import { t } from '../i18n/index.ts';
import { AgentWidget } from '../kit/agent-widget.tsx';
import { samplesOf } from '../kit/code.tsx';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice, Page } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import type { TranscriptLine } from '../kit/transcript-list.tsx';
import { makeFirstAgent } from './first-call.tsx';
import { SupervisedCall } from './supervised-call.tsx';

interface OngoingCall {
  readonly begun: Json;
  readonly lines: readonly TranscriptLine[];
  readonly speaks: boolean;
  readonly turns: readonly Json[];
  readonly over: string | null;
}

const SHOWN_AFTER_END = 10;
const SHOWN_EVENTS = 30;

type Calls = ReadonlyMap<string, OngoingCall>;

function withLine(going: OngoingCall, { role, turn_id, text, final }: Json): OngoingCall {
  const key = `${role}${turn_id}`;
  const line = { key, role, text, ...(final ? {} : { note: t('speaking') }) };
  const known = going.lines.some((one) => one.key === key);
  return {
    ...going,
    lines: known ? going.lines.map((one) => (one.key === key ? line : one)) : [...going.lines, line],
  };
}

function after(calls: Calls, type: string, data: Json): Calls {
  const next = new Map(calls);
  const going = next.get(data.call_id);
  if (type === 'call.began') {
    if (going === undefined)
      next.set(data.call_id, { begun: data, lines: [], speaks: false, turns: [], over: null });
    return next;
  }
  if (going === undefined) return calls;
  if (type === 'call.said') next.set(data.call_id, withLine(going, data));
  if (type === 'call.speech') next.set(data.call_id, { ...going, speaks: data.kind === 'started' });
  if (type === 'call.turn') next.set(data.call_id, { ...going, turns: [...going.turns, data.latency_ms] });
  if (type === 'call.over') next.set(data.call_id, { ...going, speaks: false, over: data.reason });
  const over = [...next].filter(([, one]) => one.over !== null);
  for (const [id] of over.slice(0, Math.max(0, over.length - SHOWN_AFTER_END))) next.delete(id);
  return next;
}

export function Live() {
  const [calls, setCalls] = useState<Calls>(new Map());
  const [events, setEvents] = useState<readonly Json[]>([]);
  // The event of a conversation precedes that of its telephone call, so answered calls are polled while there are
  // any.
  const hasTelephony = useTelephony() === true;
  const phones = useLoad(
    hasTelephony ? '/v1/telephony/calls?state=answered&limit=50' : null,
    ({ data }) => data.length > 0,
  );
  const answered: readonly Json[] = phones.data?.data ?? [];
  const agents = useLoad('/v1/agents?limit=1');
  const agent: Json = agents.data?.data[0];
  const goingOf = ({ omni_call_id }: Json) => calls.get(omni_call_id);
  useLive((event) => {
    if (/^telephony\.call\./.test(event.type)) phones.reload();
    if (event.type.startsWith('call.')) setCalls((known) => after(known, event.type, event.data));
    else setEvents((known) => [event, ...known].slice(0, SHOWN_EVENTS));
  });
  const now = useSeconds();
  const onPhones = new Set(answered.map(({ omni_call_id }) => omni_call_id));
  const shown = [...calls.values()].filter(({ begun }) => !onPhones.has(begun.call_id)).reverse();
  return (
    <Page title={t('Live calls')}>
      <ErrorNotice error={phones.error} />
      {shown.length === 0 && answered.length === 0 && (
        <NoCall hasAgent={agents.data === null || agent !== undefined} made={agents.reload} />
      )}
      <div class="two">
        {answered.map((phone) => (
          <LivePhone key={phone.id} phone={phone} going={goingOf(phone)} />
        ))}
        {shown.map((going) => (
          <OneCall key={going.begun.call_id} going={going} now={now} />
        ))}
      </div>
      {/* The call of this widget is an example of a live call, and would end if the widget were removed. */}
      {agent !== undefined && <AgentWidget agentId={agent.id} />}
      <h2>{t('Events')}</h2>
      <ol class="said">
        {events.map(({ type, at, data }, index) => (
          <li key={`${at} ${index}`}>
            <span class="who">{time(at)}</span> {type} <code>{data.id ?? ''}</code>
          </li>
        ))}
      </ol>
      {events.length === 0 && <p class="quiet">{t('Nothing has happened since this page was opened.')}</p>}
    </Page>
  );
}

const feedOf = (origin: string): string => `const address = '${origin.replace('http', 'ws')}/v1/live';
const socket = new WebSocket(address, ['svc.v1', \`svc-key.\${process.env.TRUNKLINE_API_KEY}\`]);
socket.onmessage = ({ data }) => console.log(JSON.parse(data));`;

interface NoCallProps {
  readonly hasAgent: boolean;
  readonly made: () => void;
}

function NoCall({ hasAgent, made }: NoCallProps) {
  return (
    <div class="card">
      <Empty
        icon="live"
        says={t(
          'No call is in progress. Each call appears here while it goes on: read its words, listen, whisper to the agent, join or take over.',
        )}
        {...(hasAgent
          ? {}
          : {
              example: {
                label: t('Make an agent'),
                run: async () => {
                  await makeFirstAgent();
                  made();
                },
              },
            })}
        samples={[
          ...samplesOf('GET', '/v1/telephony/calls?state=answered'),
          ['WebSocket', feedOf(location.origin)],
        ]}
      />
    </div>
  );
}

function useSeconds(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function LivePhone({ phone, going }: { readonly phone: Json; readonly going: OngoingCall | undefined }) {
  const isInbound = phone.direction === 'inbound';
  const other = isInbound ? phone.from : phone.to;
  return (
    <SupervisedCall
      callId={phone.id}
      label={t('Telephone call with {who}', { who: other })}
      who={other}
      state={phone.state}
      facts={
        <>
          {isInbound ? t('Called us') : t('Called by us')} · {time(phone.answered_at)}
        </>
      }
      lines={going?.lines ?? []}
      turns={going?.turns ?? []}
    />
  );
}

function OneCall({ going, now }: { readonly going: OngoingCall; readonly now: number }) {
  const { begun, lines, speaks, turns, over } = going;
  const seconds = Math.max(0, Math.round((now - begun.started_at) / 1000));
  return (
    <SupervisedCall
      callId={begun.call_id}
      label={t('Call {id}', { id: begun.call_id })}
      who={begun.session_label ?? begun.agent_id ?? begun.call_id}
      state={over ?? 'active'}
      facts={
        <>
          {time(begun.started_at)} · {begun.language} · {over === null && t('{n} seconds', { n: seconds })}{' '}
          {speaks && <StateBadge of={t('the caller speaks')} />}
        </>
      }
      lines={lines}
      turns={turns}
      isOver={over !== null}
    />
  );
}
