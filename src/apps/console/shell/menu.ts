import { t } from '../i18n/index.ts';
import type { IconName } from '../kit/icon.tsx';

export interface MenuPage {
  readonly name: string;
  readonly label: string;
  readonly icon: IconName;
  /** Says in a word what a product's name does not. */
  readonly about?: string;
}

export interface MenuGroup {
  readonly group: string;
  readonly pages: readonly MenuPage[];
  /** The menu shows its pages when somebody opens it, or is on one of them. */
  readonly isFolded?: boolean;
}

const page = (name: string, label: string, icon: IconName, about?: string): MenuPage => ({
  name,
  label,
  icon,
  ...(about === undefined ? {} : { about }),
});

export const MENU: readonly MenuGroup[] = [
  { group: '', pages: [page('home', t('Home'), 'home')] },
  {
    group: t('Build'),
    pages: [
      page('agents', t('Agents'), 'agent'),
      page('knowledge', t('Knowledge'), 'book'),
      page('tools', t('Tools'), 'tool'),
      page('voices', t('Voices'), 'voice'),
      page('embed', t('On your site'), 'plug'),
    ],
  },
  {
    group: t('Try'),
    pages: [
      page('try-speak', t('Speech'), 'speak'),
      page('try-hear', t('Recognition'), 'hear'),
      page('try-amd', t('Who answered'), 'machine'),
      page('try-knowledge', t('Search in knowledge'), 'search'),
      page('tests', t('Tests'), 'done'),
    ],
  },
  {
    group: t('Run'),
    pages: [
      page('live', t('Live calls'), 'live'),
      page('numbers', t('Numbers'), 'number'),
      page('campaigns', t('Campaigns'), 'campaign'),
      page('messages', t('Messages'), 'message'),
      page('cases', t('Compliance cases'), 'case'),
    ],
  },
  {
    group: t('Understand'),
    pages: [
      page('calls', t('Call records'), 'phone'),
      page('analytics', t('Analytics'), 'chart'),
      page('trace', t('Trace'), 'shield', t('rules')),
      page('recap', t('Recap'), 'recap', t('summaries')),
      page('amd', t('Answering machines'), 'machine'),
      page('jobs', t('Transcription jobs'), 'job'),
      page('usage', t('Usage and costs'), 'money'),
    ],
  },
  {
    group: t('Create'),
    pages: [
      page('cast', t('Cast'), 'cast', t('scripts with many voices')),
      page('dub', t('Dub'), 'dub', t('in another language')),
    ],
  },
  {
    group: t('Settings'),
    isFolded: true,
    pages: [
      page('keys', t('Keys'), 'key'),
      page('integrations', t('Integrations'), 'plug'),
      page('webhooks', t('Webhooks'), 'hook'),
      page('provider-keys', t('Speech services'), 'voice'),
      page('organization', t('Organization'), 'organization'),
      page('members', t('Members'), 'members'),
      page('limits', t('Limits'), 'limit'),
      page('audit', t('Audit log'), 'log'),
      page('status', t('Status'), 'pulse'),
      page('account', t('Your sessions'), 'account'),
    ],
  },
  {
    group: t('Operate'),
    isFolded: true,
    pages: [
      page('server', t('Server'), 'pulse'),
      page('models', t('Models of your own'), 'voice'),
      page('plans', t('Plans and prices'), 'money'),
      page('organizations', t('All organizations'), 'organization'),
    ],
  },
];
