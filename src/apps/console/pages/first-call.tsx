import { useState } from 'preact/hooks';
import { post } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { language, t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { AgentWidget } from '../kit/agent-widget.tsx';
import { LoadingState } from '../kit/page.tsx';

const SPOKEN = ['en', 'es', 'fr', 'de', 'hi'];

export const makeFirstAgent = () =>
  post('/v1/agents', {
    name: t('First agent'),
    language: SPOKEN.includes(language()) ? language() : 'en',
    greeting: t('Hello, this is your first agent. What can I do for you?'),
    persona: t('You are a friendly receptionist. You answer in one or two short sentences.'),
  });

export function FirstCall({ made: onMade }: { readonly made: () => void }) {
  const agents = useLoad('/v1/agents?limit=1');
  const [made, setMade] = useState<string | null>(null);
  const id: string | undefined = made ?? agents.data?.data[0]?.id;
  return (
    <section>
      <h2>{t('Your first call')}</h2>
      <p>{t('Three steps: make an agent, press the button, speak. Nothing leaves this server.')}</p>
      {agents.data === null && <LoadingState error={agents.error} />}
      {agents.data !== null && id === undefined && (
        <div class="card">
          <h3>{t('1. Make an agent')}</h3>
          <ActionButton
            label={t('Make an agent')}
            main
            run={async () => setMade((await makeFirstAgent()).id)}
            then={onMade}
          />
          <p class="quiet after">{t('2. Press “Call”, and allow the microphone.')}</p>
          <p class="quiet">{t('3. Speak: it answers.')}</p>
        </div>
      )}
      {id !== undefined && (
        <>
          <AgentWidget agentId={id} />
          <p class="row">
            <a class="button" href={to('agents', id)}>
              {t('Change this agent')}
            </a>
            <a class="button" href={to('calls')}>
              {t('See the records of calls')}
            </a>
            <a class="button" href={to('keys')}>
              {t('Make a key for your own program')}
            </a>
          </p>
        </>
      )}
    </section>
  );
}
