import { length } from '../data/format.ts';
import { type Peaks, STRETCHES } from '../data/peaks.ts';
import { t } from '../i18n/index.ts';

/** The times are seconds of the recording. */
export interface Span {
  readonly role: string;
  readonly from: number;
  readonly to: number;
}

export interface WaveformProps {
  readonly peaks: Peaks;
  readonly spans: readonly Span[];
  readonly at: number;
  readonly onSeek: (seconds: number) => void;
  readonly onToggle: () => void;
  readonly only?: 'user' | 'agent';
  readonly label?: string;
  readonly marks?: readonly { readonly at: number; readonly label: string; readonly bad?: boolean }[];
}

const HEIGHT = 50;
const STEP_S = 5;
const LEAP_S = 30;
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -STEP_S,
  ArrowDown: -STEP_S,
  ArrowRight: STEP_S,
  ArrowUp: STEP_S,
  PageDown: -LEAP_S,
  PageUp: LEAP_S,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The root of a peak is drawn, so that quiet voices are visible too. */
function shape(peaks: Float32Array, middle: number): string {
  return Array.from(peaks, (peak, at) => {
    const tall = Math.max(0.5, Math.sqrt(peak) * (HEIGHT / 2 - 2));
    return `M${at + 0.5} ${(middle - tall).toFixed(1)}V${(middle + tall).toFixed(1)}`;
  }).join('');
}

const SIDES = [
  ['user', 'caller', HEIGHT / 2],
  ['agent', 'agent', HEIGHT * 1.5],
] as const;

/** The waveform is a slider of the playout position, for the pointer and the keyboard; the caller is above. */
export function Waveform(props: WaveformProps) {
  const { peaks, spans, at, onSeek, onToggle, only, marks = [] } = props;
  const sides = SIDES.filter(([role]) => only === undefined || role === only);
  const height = sides.length * HEIGHT;
  const { seconds } = peaks;
  const middleOf = (place: number) => (only === undefined ? place : HEIGHT / 2);
  const x = (time: number) => (seconds > 0 ? (time / seconds) * STRETCHES : 0);
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onSeek(Math.max(0, Math.min(1, (event.clientX - left) / width)) * seconds);
  };
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) onSeek(Math.max(0, Math.min(seconds, at + step)));
    else if (event.key === ' ') onToggle();
    else return;
    event.preventDefault();
  };
  return (
    <div
      class={only === undefined ? 'wave' : 'wave single'}
      role="slider"
      tabIndex={0}
      aria-label={props.label ?? t('Place in the recording')}
      aria-valuemin={0}
      aria-valuemax={Math.round(seconds)}
      aria-valuenow={Math.round(at)}
      aria-valuetext={t('{at} of {whole}', { at: length(at), whole: length(seconds) })}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        point(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) point(event);
      }}
      onKeyDown={press}
    >
      <svg viewBox={`0 0 ${STRETCHES} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {sides.map(([role, side, place]) => (
          <g key={role} class={role}>
            {spans
              .filter((span) => span.role === role)
              .map(({ from, to }) => (
                <rect
                  key={from}
                  x={x(from)}
                  y={middleOf(place) - HEIGHT / 2}
                  width={Math.max(1, x(to) - x(from))}
                  height={HEIGHT}
                />
              ))}
            <path d={shape(peaks[side], middleOf(place))} />
          </g>
        ))}
        {marks.map((mark) => (
          <line
            key={`${mark.label} ${mark.at}`}
            class={mark.bad ? 'mark bad' : 'mark'}
            x1={x(mark.at)}
            x2={x(mark.at)}
            y1="0"
            y2={height}
          />
        ))}
        <line class="place" x1={x(at)} x2={x(at)} y1="0" y2={height} />
      </svg>
    </div>
  );
}
