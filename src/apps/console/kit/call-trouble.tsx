import type { Json } from '../data/api.ts';
import { t } from '../i18n/index.ts';

/** People take a longer pause for a broken line. */
export const LATE_MS = 2_000;

export const troubleOf = (call: Json): readonly string[] =>
  [
    call.status === 'failed' && t('failed'),
    call.failed_tools > 0 && t('failed tools: {n}', { n: call.failed_tools }),
    call.degraded_turns > 0 && t('disturbed turns: {n}', { n: call.degraded_turns }),
    call.max_latency_ms > LATE_MS && t('slow answer'),
  ].filter((one) => one !== false);

/** Names what went wrong in a call of the list, and nothing where all went well. */
export const CallTrouble = ({ of: call }: { readonly of: Json }) =>
  troubleOf(call).map((words) => (
    <span key={words} class="state bad">
      {words}
    </span>
  ));
