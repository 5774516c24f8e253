import { orNothing, time } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { Page } from '../kit/page.tsx';
import { Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

export function Messages() {
  return (
    <Page title={t('Messages')}>
      <Resource
        caption={t('Messages')}
        path="/v1/messages"
        teach={{
          icon: 'message',
          says: t(
            'Text messages that agents and programs send and receive are listed here with their delivery.',
          ),
        }}
        againWhile={({ status }) => status === 'queued'}
        columns={[
          { label: t('When'), of: (row) => time(row.created_at) },
          { label: t('Direction'), of: (row) => row.direction },
          { label: t('From'), of: (row) => row.from },
          { label: t('To'), of: (row) => row.to },
          { label: t('Words'), of: (row) => row.body },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
          { label: t('Why'), of: (row) => orNothing(row.failure_code?.replaceAll('_', ' ')) },
        ]}
        create={{
          label: t('Send a message'),
          fields: [
            { name: 'from', label: t('From'), needed: true, hint: t('One of your numbers.') },
            { name: 'to', label: t('To'), needed: true },
            { name: 'body', label: t('Words'), kind: 'area', needed: true },
          ],
        }}
      />
    </Page>
  );
}
