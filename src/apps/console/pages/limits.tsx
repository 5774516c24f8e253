import { formatCurrency, number } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { FactList } from '../kit/fact-list.tsx';
import { LoadingState, Page } from '../kit/page.tsx';

const MEGABYTE = 1e6;

export function Limits() {
  const { data, error } = useLoad('/v1/me');
  if (data === null)
    return (
      <Page title={t('Limits')}>
        <LoadingState error={error} />
      </Page>
    );
  const { limits, credit, storage } = data;
  return (
    <Page title={t('Limits')}>
      <div class="card">
        <FactList
          of={[
            [t('Requests a second'), number(limits.rps)],
            [t('Burst'), number(limits.burst)],
            [t('Concurrent live sessions'), number(limits.concurrency)],
            [t('Seconds a month'), number(limits.quota)],
            [t('Seconds today'), `${number(credit.daily_used)} / ${number(credit.daily_cap)}`],
            [t('Budget of the key'), formatCurrency(credit.budget_micros)],
            [
              t('Files kept (MB)'),
              `${number(storage.used_bytes / MEGABYTE, 1)} / ${number(limits.storage_bytes === null ? null : limits.storage_bytes / MEGABYTE)}`,
            ],
          ]}
        />
        {credit.daily_cap !== null && (
          <p>
            <progress max={credit.daily_cap} value={credit.daily_used} aria-label={t('Seconds today')} />
          </p>
        )}
      </div>
      <p class="quiet">{t('The operator sets plans; a key’s budget is set on the page of keys.')}</p>
    </Page>
  );
}
