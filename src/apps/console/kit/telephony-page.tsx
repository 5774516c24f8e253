import { useTelephony } from '../data/telephony.ts';
import { t } from '../i18n/index.ts';
import { Empty } from './empty.tsx';
import { LoadingState, Page, type PageProps } from './page.tsx';

const TRIAL = 'TRUNKLINE_CARRIER=loopback npm start';
const SET_UP = 'npx trunkline setup';

/** Shows the page where the server makes telephone calls, and otherwise how to let it. */
export function TelephonyPage({ children, ...page }: PageProps) {
  const serves = useTelephony();
  return (
    <Page {...page}>
      {serves === null && <LoadingState error={null} />}
      {serves === true && children}
      {serves === false && <NoTelephony />}
    </Page>
  );
}

const NoTelephony = () => (
  <div class="card">
    <Empty
      icon="number"
      says={t('This server was started without a carrier, so it has no telephone numbers.')}
    >
      <p>{t('Start it with trial numbers, which call nobody and cost nothing:')}</p>
      <pre>{TRIAL}</pre>
      <p>{t('Or choose a carrier: five questions, then the configuration file.')}</p>
      <pre>{SET_UP}</pre>
    </Empty>
  </div>
);
