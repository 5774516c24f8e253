import { t } from '../i18n/index.ts';
import { orNothing } from './format.ts';

const NAMES: Readonly<Record<string, string>> = {
  client_ended: t('the caller hung up'),
  client_gone: t('the connection was lost'),
  agent_ended: t('the agent hung up'),
  caller_idle: t('the caller was silent'),
  max_duration: t('the longest time was over'),
  agent_stuck: t('three turns in a row had no answer'),
  brain_unavailable: t('the language model was not available'),
  engine_failed: t('the server failed'),
};

export const endReason = (reason: string | null | undefined): string =>
  NAMES[reason ?? ''] ?? orNothing(reason?.replaceAll('_', ' '));
