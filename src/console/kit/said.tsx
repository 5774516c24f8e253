import { length } from '../data/format.ts';
import { t } from '../i18n/index.ts';

export interface Line {
  readonly key: string;
  readonly role: string;
  readonly text: string;
  readonly startMs?: number | null;
  readonly note?: string;
}

/** Who said what, in order. */
export function Said({ lines, live }: { readonly lines: readonly Line[]; readonly live?: boolean }) {
  if (lines.length === 0) return <p class="quiet">{t('Nobody has said anything.')}</p>;
  return (
    <ol class="said" aria-live={live ? 'polite' : undefined}>
      {lines.map(({ key, role, text, startMs, note }) => (
        <li key={key} class={role}>
          <div class="who">
            {role === 'user' ? t('Caller') : role === 'agent' ? t('Agent') : role}
            {startMs !== undefined && startMs !== null && ` · ${length(startMs / 1000)}`}
            {note && ` · ${note}`}
          </div>
          {text}
        </li>
      ))}
    </ol>
  );
}
