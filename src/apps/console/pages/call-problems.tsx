import type { Json } from '../data/api.ts';
import { degradedTurn } from '../data/degraded-turns.ts';
import { endReason } from '../data/end-reasons.ts';
import { length, number } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { LATE_MS } from '../kit/call-trouble.tsx';
import { Icon } from '../kit/icon.tsx';

interface Problem {
  readonly atMs: number | null;
  readonly says: string;
}

interface ProblemsProps {
  readonly call: Json;
  readonly entries: readonly Json[];
  readonly judged: Json;
}

function problemsOf({ call, entries, judged }: ProblemsProps): readonly Problem[] {
  const answerAt = (turn: number): number | null =>
    entries.find(({ role, turn_id }) => role === 'agent' && turn_id === turn)?.start_ms ?? null;
  const tools: Problem[] = (call.tool_calls ?? [])
    .filter(({ error, took_ms }: Json) => error !== undefined || took_ms === null)
    .map(({ name, at_ms, error }: Json) => ({
      atMs: at_ms,
      says: t('The tool {name} failed: {why}', { name, why: error ?? t('it had not responded') }),
    }));
  const steps: Problem[] = (call.degraded ?? []).map((one: Json) => ({
    atMs: answerAt(one.turn_id),
    says: degradedTurn(one) ?? `${one.step} (${one.reason.replaceAll('_', ' ')})`,
  }));
  const slow: Problem[] = (call.turns ?? [])
    .filter(({ latency_ms }: Json) => latency_ms.total > LATE_MS)
    .map(({ turn_id, latency_ms }: Json) => ({
      atMs: answerAt(turn_id),
      says: t('The caller waited {ms} ms for an answer', { ms: number(latency_ms.total) }),
    }));
  const broken: Problem[] = (judged?.violations ?? []).map(({ title, quote, start_ms }: Json) => ({
    atMs: typeof start_ms === 'number' ? start_ms : null,
    says: `${title}: “${quote ?? ''}”`,
  }));
  const failed: Problem[] =
    call.status === 'failed'
      ? [{ atMs: null, says: t('The call failed: {why}', { why: endReason(call.end_reason) }) }]
      : [];
  const timed = [...tools, ...steps, ...slow, ...broken];
  return [...failed, ...timed.sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0))];
}

/** Names what went wrong before anything else, each with a link to its moment. */
export function Problems(props: ProblemsProps) {
  const found = problemsOf(props);
  if (found.length === 0) return null;
  return (
    <section class="card problems" aria-label={t('What did not go as planned')}>
      <h2>{t('What did not go as planned')}</h2>
      <ul class="list">
        {found.map(({ atMs, says }, nth) => (
          <li key={`${nth} ${says}`}>
            <Icon name="alert" />
            <span class="grow">{says}</span>
            {atMs !== null && (
              <a href={to('calls', props.call.call_id, 'at', String(atMs))}>{length(atMs / 1000)}</a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
