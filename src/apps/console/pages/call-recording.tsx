import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { length, number } from '../data/format.ts';
import { useRecording } from '../data/recording.ts';
import { t } from '../i18n/index.ts';
import { ErrorNotice } from '../kit/page.tsx';
import type { Player } from '../kit/player.ts';
import { type Span, Waveform } from '../kit/waveform.tsx';

const UNASKED_BYTES = 20_000_000;

const WHY: Readonly<Record<string, string>> = {
  recording_not_requested: t('This call was not recorded: its agent does not record calls.'),
  recording_in_progress: t('The recording is not stored yet.'),
  consent_line_not_heard: t('Nothing was recorded: the caller did not hear the recording notice.'),
  recording_failed: t('The recording failed.'),
  recording_lost: t('The recording was lost with the server that had the call.'),
  storage_quota_exceeded: t('The recording was not stored: the storage quota was exceeded.'),
  recording_deleted: t('The recording was removed.'),
  recording_retention_over: t('The recording was deleted because its retention period has ended.'),
};

function spansOf(entries: readonly Json[], startsAtMs: number): Span[] {
  return entries.map(({ role, start_ms, end_ms }) => ({
    role,
    from: Math.max(0, start_ms - startsAtMs) / 1000,
    to: Math.max(0, end_ms - startsAtMs) / 1000,
  }));
}

const spoke = (spans: readonly Span[], role: string): number =>
  spans.filter((span) => span.role === role).reduce((sum, { from, to }) => sum + to - from, 0);

interface RecordingProps {
  readonly call: Json;
  readonly entries: readonly Json[];
  readonly player: Player;
}

export function Recording({ call, entries, player }: RecordingProps) {
  const result: Json = call.recording_result ?? {};
  return (
    <section class="card" aria-label={t('Recording')}>
      <h2>{t('Recording')}</h2>
      {result.status === 'success' ? (
        <StoredRecording call={call} entries={entries} player={player} result={result} />
      ) : (
        <p class="quiet">{WHY[result.reason] ?? String(result.reason ?? '').replaceAll('_', ' ')}</p>
      )}
    </section>
  );
}

interface StoredRecordingProps extends RecordingProps {
  readonly result: Json;
}

function StoredRecording({ call, entries, player, result }: StoredRecordingProps) {
  const [asked, setAsked] = useState(result.bytes <= UNASKED_BYTES);
  const { peaks, url, error } = useRecording(asked ? `/v1/omni/calls/${call.call_id}/recording` : null);
  const spans = spansOf(entries, result.starts_at_ms ?? 0);
  if (!asked)
    return (
      <button type="button" onClick={() => setAsked(true)}>
        {t('Fetch the recording ({size} MB)', { size: number(result.bytes / 1e6, 1) })}
      </button>
    );
  return (
    <>
      <ErrorNotice error={error} />
      {peaks === null && error === null && <p class="quiet">{t('Loading…')}</p>}
      {peaks !== null && (
        <Waveform
          peaks={peaks}
          spans={spans}
          at={player.seconds}
          onSeek={player.seek}
          onToggle={player.toggle}
        />
      )}
      <div class="legend">
        <Side of="user" label={t('Caller')} spans={spans} />
        <Side of="agent" label={t('Agent')} spans={spans} />
        {result.reason === 'recording_cut_short' && (
          <span>{t('The recording is incomplete: a server that had the call was lost.')}</span>
        )}
        {result.redacted_spans > 0 && (
          <span>
            {t('A tone replaces personal data in {n} places.', { n: number(result.redacted_spans) })}
          </span>
        )}
      </div>
      {url !== null && (
        <div class="row player">
          {/* biome-ignore lint/a11y/useMediaCaption: the words stand below and follow. */}
          <audio
            ref={player.audio}
            controls
            src={url}
            aria-label={t('Recording')}
            onTimeUpdate={player.moved}
            onSeeked={player.moved}
          />
          <a class="button" href={url} download={`${call.call_id}.${extensionOf(result.format)}`}>
            {t('Download')}
          </a>
        </div>
      )}
    </>
  );
}

const extensionOf = (format: string): string => (format === 'opus' ? 'ogg' : format);

interface SideProps {
  readonly of: string;
  readonly label: string;
  readonly spans: readonly Span[];
}

function Side({ of, label, spans }: SideProps) {
  return (
    <span>
      <svg viewBox="0 0 8 8" aria-hidden="true">
        <rect class={of === 'agent' ? 'bar-1' : 'bar-2'} width="8" height="8" />
      </svg>{' '}
      {t('{who} spoke for {time}', { who: label, time: length(spoke(spans, of)) })}
    </span>
  );
}
