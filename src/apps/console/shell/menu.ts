import { t } from '../i18n/index.ts';

/** Every page that the menu leads to, in its order. */
export const MENU: readonly {
  readonly group: string;
  readonly pages: readonly (readonly [string, string])[];
}[] = [
  {
    group: t('Talk'),
    pages: [
      ['home', t('First call')],
      ['live', t('Live calls')],
      ['calls', t('Call records')],
      ['agents', t('Agents')],
      ['tools', t('Tools')],
      ['knowledge', t('Knowledge')],
    ],
  },
  {
    group: t('Understand'),
    pages: [
      ['jobs', t('Transcription jobs')],
      ['trace', t('Trace')],
      ['recap', t('Recap')],
      ['amd', t('Answering machines')],
    ],
  },
  {
    group: t('Make'),
    pages: [
      ['cast', t('Cast')],
      ['dub', t('Dub')],
    ],
  },
  {
    group: t('Connect'),
    pages: [
      ['numbers', t('Numbers')],
      ['campaigns', t('Campaigns')],
      ['cases', t('Compliance cases')],
      ['messages', t('Messages')],
      ['integrations', t('Integrations')],
      ['webhooks', t('Webhooks')],
    ],
  },
  {
    group: t('Organization'),
    pages: [
      ['keys', t('Keys')],
      ['organization', t('Organization')],
      ['members', t('Members')],
      ['usage', t('Usage and money')],
      ['limits', t('Limits')],
      ['audit', t('Audit log')],
      ['status', t('Status')],
      ['account', t('Your sessions')],
      ['organizations', t('All organizations')],
    ],
  },
];
