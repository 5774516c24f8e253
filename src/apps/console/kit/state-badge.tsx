import { t } from '../i18n/index.ts';

const GOOD =
  /^(ready|passed|active|completed|done|delivered|indexed|approved|clean|published|human|received|granted|resolved|succeeded|answered)$/;
const BAD =
  /^(failed|error|dead|revoked|rejected|violations|critical|high|gone|lost|cancelled|not_ready|infected|unresolved)$/;

/** The API's states, as people read them; a state that is not here is shown as the API names it. */
const WORDS: Readonly<Record<string, string>> = {
  ready: t('ready'),
  'not ready': t('not ready'),
  missing: t('missing'),
  passed: t('passed'),
  failed: t('failed'),
  active: t('active'),
  completed: t('completed'),
  done: t('done'),
  delivered: t('delivered'),
  indexed: t('indexed'),
  approved: t('approved'),
  rejected: t('rejected'),
  clean: t('clean'),
  violations: t('violations'),
  findings: t('findings'),
  published: t('published'),
  draft: t('draft'),
  human: t('human'),
  machine: t('machine'),
  unknown: t('unknown'),
  received: t('received'),
  sent: t('sent'),
  answered: t('answered'),
  resolved: t('resolved'),
  unresolved: t('unresolved'),
  error: t('error'),
  lost: t('lost'),
  revoked: t('revoked'),
  canceled: t('canceled'),
  critical: t('critical'),
  high: t('high'),
  medium: t('medium'),
  low: t('low'),
  open: t('open'),
  acknowledged: t('acknowledged'),
  dismissed: t('dismissed'),
  remediated: t('remediated'),
  queued: t('queued'),
  pending: t('pending'),
  processing: t('processing'),
  running: t('running'),
  paused: t('paused'),
  waiting: t('waiting'),
  playing: t('playing'),
  ringing: t('ringing'),
  busy: t('busy'),
  'no answer': t('no answer'),
};

const readableState = (state: string): string => {
  const words = state.replaceAll('_', ' ');
  return WORDS[words] ?? words;
};

/** The colour adds no information to the word, for people who cannot see it. */
export function StateBadge({ of }: { readonly of: string | null | undefined }) {
  if (!of) return <>–</>;
  const kind = GOOD.test(of) ? 'good' : BAD.test(of) ? 'bad' : 'warn';
  return <span class={`state ${kind}`}>{readableState(of)}</span>;
}
