import type { Json } from '../data/api.ts';
import { number } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { Table } from '../kit/table.tsx';

export const Evidence = ({ of }: { readonly of: readonly Json[] }) => (
  <Table
    caption={t('Evidence')}
    rows={of}
    columns={[
      { label: t('At (ms)'), of: (row) => number(row.at_ms), numeric: true },
      { label: t('Kind'), of: (row) => row.kind },
      { label: t('What'), of: (row) => row.detail },
    ]}
  />
);
