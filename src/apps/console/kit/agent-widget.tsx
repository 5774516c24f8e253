import { useEffect, useRef, useState } from 'preact/hooks';
import { get, post, put } from '../data/api.ts';
import { language, t } from '../i18n/index.ts';
import { ErrorNotice } from './page.tsx';

const SCRIPT = '/widget.js';

/** Allows this page's origin to call agents, once for the organization. */
async function allowHere(): Promise<void> {
  const { origins } = await get('/v1/omni/origins');
  if (origins.includes(location.origin)) return;
  await put('/v1/omni/origins', { origins: [...origins, location.origin] });
}

function loadWidget(): Promise<unknown> {
  if (document.querySelector(`script[src="${SCRIPT}"]`) === null) {
    const script = document.createElement('script');
    script.src = SCRIPT;
    document.head.append(script);
  }
  return customElements.whenDefined('trunkline-call');
}

export function AgentWidget({ agentId }: { readonly agentId: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    let call: HTMLElement | null = null;
    loadWidget().then(() => {
      call = document.createElement('trunkline-call');
      call.lang = language();
      Object.assign(call, {
        getSession: async (transport: string) => {
          setError(null);
          try {
            await allowHere();
            return await post('/v1/omni/sessions', { origin: location.origin, agent_id: agentId, transport });
          } catch (thrown) {
            setError(thrown as Error);
            throw thrown;
          }
        },
      });
      place.current?.replaceChildren(call);
    });
    return () => call?.remove();
  }, [agentId]);
  return (
    <section class="card" aria-label={t('Talk to the agent')}>
      <h2>{t('Talk to the agent')}</h2>
      <p class="quiet">{t('The call goes through this browser’s microphone and speaker.')}</p>
      <ErrorNotice error={error} />
      <div ref={place} />
    </section>
  );
}
