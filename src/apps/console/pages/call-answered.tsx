import type { Json } from '../data/api.ts';
import { orNothing, percent } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { FactList } from '../kit/fact-list.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Evidence } from './amd-evidence.tsx';

export function Answered({ talk }: { readonly talk: string }) {
  const { data: phones } = useLoad(`/v1/telephony/calls?omni_call_id=${talk}&limit=1`);
  const phone: Json = phones?.data[0];
  const judged = useLoad(phone ? `/v1/amd/calls?call_sid=${phone.id}&limit=1` : null);
  const first: Json = judged.data?.data[0];
  if (!phone) return null;
  return (
    <>
      <h2>{t('Telephone call')}</h2>
      <FactList
        of={[
          [t('Direction'), phone.direction],
          [t('From'), orNothing(phone.from)],
          [t('To'), orNothing(phone.to)],
        ]}
      />
      {first && <Judged id={first.id} />}
    </>
  );
}

function Judged({ id }: { readonly id: string }) {
  const { data } = useLoad(`/v1/amd/calls/${id}`);
  if (data === null) return null;
  return (
    <>
      <h2>{t('Who answered')}</h2>
      <p>
        <StateBadge of={data.answered_by} /> {percent(data.confidence)} · {data.reason} ·{' '}
        <a href={to('amd', id)}>{t('All of it')}</a>
      </p>
      <Evidence of={data.evidence} />
    </>
  );
}
