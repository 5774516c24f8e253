import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { length } from '../data/format.ts';
import { addressOf, replaceRoute } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Icon } from '../kit/icon.tsx';
import type { Player } from '../kit/player.ts';
import { notify } from '../kit/toast.tsx';
import { LANES, type LaneKind, type Moment, PARTS, partName } from './call-moments.ts';

const ZOOMS = [1, 2, 4, 8, 16] as const;
/** A moment without duration is drawn this wide, in percent of the call, so that a pointer can hit it. */
const THINNEST = 0.4;

const laneName = (lane: LaneKind): string =>
  ({
    user: t('Caller'),
    agent: t('Agent'),
    latency: t('Latency'),
    tool: t('Tools'),
    flow: t('Flow'),
    finding: t('Findings'),
  })[lane];

export interface TimelineProps {
  readonly call: Json;
  readonly moments: readonly Moment[];
  readonly player: Player;
  /** The recording's first sample has this time on the clock of the transcript. */
  readonly startsAtMs: number;
  readonly atMs: number | null;
}

export function Timeline({ call, moments, player, startsAtMs, atMs }: TimelineProps) {
  const wholeMs = Math.max(1, call.duration_s * 1000, ...moments.map(({ endMs }) => endMs));
  const [chosen, setChosen] = useState<string | null>(null);
  const [zoom, setZoom] = useState(1);
  const at = moments.findIndex(({ key }) => key === chosen);
  const current = moments[at];
  const choose = (moment: Moment | undefined) => {
    if (moment === undefined) return;
    setChosen(moment.key);
    player.seek((moment.ms - startsAtMs) / 1000);
    replaceRoute('calls', call.call_id, 'at', String(Math.round(moment.ms)));
  };
  useEffect(() => {
    if (atMs === null) return;
    const named = moments.findLast(({ ms }) => ms <= atMs) ?? moments[0];
    if (named !== undefined) setChosen(named.key);
    player.seek((atMs - startsAtMs) / 1000);
    // The audio may load after the page; the effect then runs again, so that it starts at the linked moment.
  }, [atMs, player.audio.current === null]);
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight' || event.key === 'ArrowDown') choose(moments[at + 1]);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') choose(moments[Math.max(0, at - 1)]);
    else if (event.key === 'Home') choose(moments[0]);
    else if (event.key === 'End') choose(moments.at(-1));
    else if (event.key === ' ') player.toggle();
    else return;
    event.preventDefault();
  };
  const lanes = LANES.filter((lane) => moments.some((moment) => moment.lane === lane));
  const nowMs = player.used ? player.seconds * 1000 + startsAtMs : (current?.ms ?? null);
  if (moments.length === 0) return null;
  return (
    <section class="card" aria-label={t('Second by second')}>
      <div class="row ends">
        <h2>{t('Second by second')}</h2>
        <label class="quiet small">
          {t('Zoom')}
          <select value={zoom} onChange={(event) => setZoom(Number(event.currentTarget.value))}>
            {ZOOMS.map((each) => (
              <option key={each} value={each}>
                {each}×
              </option>
            ))}
          </select>
        </label>
      </div>
      <div
        class="lanes"
        role="slider"
        tabIndex={0}
        aria-label={t('Moments of the call')}
        aria-valuemin={1}
        aria-valuemax={moments.length}
        aria-valuenow={at + 1}
        aria-valuetext={current ? `${length(current.ms / 1000)} ${current.detail}` : t('None is chosen.')}
        onKeyDown={press}
      >
        <div class="lane-names" aria-hidden="true">
          {lanes.map((lane) => (
            <span key={lane}>{laneName(lane)}</span>
          ))}
        </div>
        <div class="lane-scroll" aria-hidden="true">
          <div class="lane-body" style={{ width: `${zoom * 100}%` }}>
            {lanes.map((lane) => (
              <Lane
                key={lane}
                moments={moments.filter((moment) => moment.lane === lane)}
                turns={call.turns ?? []}
                wholeMs={wholeMs}
                chosen={chosen}
                choose={choose}
              />
            ))}
            <Ticks wholeMs={wholeMs} zoom={zoom} />
            {nowMs !== null && <NowLine share={nowMs / wholeMs} />}
          </div>
        </div>
      </div>
      <div class="row moment">
        <button type="button" disabled={at <= 0} onClick={() => choose(moments[at - 1])}>
          {t('Before')}
        </button>
        <button type="button" disabled={at >= moments.length - 1} onClick={() => choose(moments[at + 1])}>
          {t('Next')}
        </button>
        {current && navigator.clipboard && <CopyLink id={call.call_id} ms={current.ms} />}
        <span class="detail" role="status">
          {current ? (
            <>
              <strong>
                {laneName(current.lane)} · {length(current.ms / 1000)}
              </strong>{' '}
              {current.detail}
            </>
          ) : (
            <span class="quiet">{t('Press something above, or go through the call by the arrow keys.')}</span>
          )}
        </span>
      </div>
      {lanes.includes('latency') && (
        <div class="legend">
          {PARTS.map((part, nth) => (
            <span key={part}>
              <svg viewBox="0 0 8 8" aria-hidden="true">
                <rect class={`bar-${nth + 1}`} width="8" height="8" rx="2" />
              </svg>{' '}
              {partName(part)}
            </span>
          ))}
        </div>
      )}
    </section>
  );
}

function CopyLink({ id, ms }: { readonly id: string; readonly ms: number }) {
  const copy = async () => {
    await navigator.clipboard.writeText(addressOf('calls', id, 'at', String(Math.round(ms))));
    notify(t('Copied.'));
  };
  return (
    <button type="button" onClick={copy}>
      <Icon name="link" /> {t('Copy a link to this moment')}
    </button>
  );
}

interface LaneProps {
  readonly moments: readonly Moment[];
  readonly turns: readonly Json[];
  readonly wholeMs: number;
  readonly chosen: string | null;
  readonly choose: (moment: Moment) => void;
}

function Lane({ moments, turns, wholeMs, chosen, choose }: LaneProps) {
  return (
    <div class="lane">
      {moments.map((moment) => {
        const { key, lane, ms, endMs, label, bad } = moment;
        const latency =
          lane === 'latency' ? turns.find(({ turn_id }) => key === `latency ${turn_id}`) : undefined;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the slider around the lanes has the same by keys.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the slider around the lanes has the same by keys.
          <div
            key={key}
            class={`moment-bar ${lane}${bad ? ' bad' : ''}${key === chosen ? ' chosen' : ''}`}
            style={{
              left: `${(ms / wholeMs) * 100}%`,
              width: `${Math.max(THINNEST, ((endMs - ms) / wholeMs) * 100)}%`,
            }}
            title={label}
            onClick={() => choose(moment)}
          >
            {latency === undefined ? label : <Parts of={latency.latency_ms} />}
          </div>
        );
      })}
    </div>
  );
}

function Parts({ of }: { readonly of: Json }) {
  let from = 0;
  return (
    <svg
      viewBox={`0 0 ${Math.max(1, of.total)} 10`}
      preserveAspectRatio="none"
      class="parts"
      aria-hidden="true"
    >
      {PARTS.map((part, nth) => {
        const x = from;
        const width = Math.max(0, of[part]);
        from += width;
        return <rect key={part} class={`bar-${nth + 1}`} x={x} width={width} height="10" />;
      })}
    </svg>
  );
}

const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600];
const MOST_TICKS = 12;
const MOST_TICKS_NARROW = 5;

function Ticks({ wholeMs, zoom }: { readonly wholeMs: number; readonly zoom: number }) {
  const seconds = wholeMs / 1000;
  const most = matchMedia('(max-width: 48rem)').matches ? MOST_TICKS_NARROW : MOST_TICKS;
  const step = STEPS_S.find((one) => seconds / one <= most * zoom) ?? 600;
  return (
    <div class="lane ticks">
      {Array.from({ length: Math.floor(seconds / step) + 1 }, (_, nth) => (
        <span key={nth} style={{ left: `${((nth * step) / seconds) * 100}%` }}>
          {length(nth * step)}
        </span>
      ))}
    </div>
  );
}

function NowLine({ share }: { readonly share: number }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = line;
    const box = current?.closest<HTMLElement>('.lane-scroll');
    if (!current || !box) return;
    const { offsetLeft } = current;
    if (offsetLeft < box.scrollLeft || offsetLeft > box.scrollLeft + box.clientWidth)
      box.scrollLeft = offsetLeft - box.clientWidth / 4;
  }, [share]);
  return <div ref={line} class="now" style={{ left: `${Math.min(100, share * 100)}%` }} />;
}
