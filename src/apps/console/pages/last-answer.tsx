import type { Json } from '../data/api.ts';
import { number } from '../data/format.ts';
import { t } from '../i18n/index.ts';

export function LastAnswer({ turns }: { readonly turns: readonly Json[] }) {
  const last = turns.at(-1);
  if (last === undefined) return null;
  return (
    <p>
      {t('Last answer: {total} ms (end of turn {endpoint}, words {asr}, answer {brain}, voice {tts})', {
        total: number(last.total),
        endpoint: number(last.endpoint),
        asr: number(last.asr),
        brain: number(last.brain),
        tts: number(last.tts),
      })}
    </p>
  );
}
