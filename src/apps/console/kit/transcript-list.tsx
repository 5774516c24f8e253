import { useEffect, useRef } from 'preact/hooks';
import { length } from '../data/format.ts';
import { t } from '../i18n/index.ts';

export interface TranscriptLine {
  readonly key: string;
  readonly role: string;
  readonly text: string;
  readonly startMs?: number | null;
  readonly note?: string;
}

export interface TranscriptListProps {
  readonly lines: readonly TranscriptLine[];
  readonly live?: boolean;
  readonly atMs?: number | null;
  readonly onSeek?: ((ms: number) => void) | undefined;
}

function currentOf(lines: readonly TranscriptLine[], atMs: number | null): string | null {
  if (atMs === null) return null;
  return lines.findLast(({ startMs }) => typeof startMs === 'number' && startMs <= atMs)?.key ?? null;
}

export function TranscriptList({ lines, live, atMs = null, onSeek }: TranscriptListProps) {
  const list = useRef<HTMLOListElement>(null);
  const current = currentOf(lines, atMs);
  useEffect(() => {
    const line = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (line) keepInView(list.current as HTMLElement, line);
  }, [current]);
  if (lines.length === 0) return <p class="quiet">{t('Nobody has said anything.')}</p>;
  return (
    <ol
      ref={list}
      class={onSeek === undefined ? 'said' : 'said follows'}
      aria-live={live ? 'polite' : undefined}
    >
      {lines.map((line) => (
        <li key={line.key} class={line.role} aria-current={line.key === current ? 'true' : undefined}>
          <SpeakerLabel line={line} onSeek={onSeek} />
          {line.text}
        </li>
      ))}
    </ol>
  );
}

/** Scrolls the list only, so that the page keeps its position. */
function keepInView(list: HTMLElement, line: HTMLElement): void {
  const { offsetTop: top, offsetHeight: tall } = line;
  if (top < list.scrollTop || top + tall > list.scrollTop + list.clientHeight)
    list.scrollTop = Math.max(0, top - list.clientHeight / 3);
}

function SpeakerLabel({
  line,
  onSeek,
}: {
  readonly line: TranscriptLine;
  readonly onSeek: TranscriptListProps['onSeek'];
}) {
  const { role, startMs, note } = line;
  const timed = startMs !== undefined && startMs !== null;
  return (
    <div class="who">
      {role === 'user' ? t('Caller') : role === 'agent' ? t('Agent') : role}
      {timed && onSeek === undefined && ` · ${length(startMs / 1000)}`}
      {timed && onSeek !== undefined && (
        <>
          {' · '}
          <button type="button" class="plain" onClick={() => onSeek(startMs)}>
            <span class="hidden">{t('Play from')} </span>
            {length(startMs / 1000)}
          </button>
        </>
      )}
      {note && ` · ${note}`}
    </div>
  );
}
