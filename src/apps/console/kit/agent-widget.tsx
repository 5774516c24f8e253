import { useEffect, useRef, useState } from 'preact/hooks';
import { get, post, put } from '../data/api.ts';
import { language, t } from '../i18n/index.ts';
import { ErrorNotice } from './page.tsx';

const SCRIPT = '/widget.js';

/** Allows pages of the origin to call the organization's agents. */
export async function allowOrigin(origin: string): Promise<void> {
  const { origins } = await get('/v1/omni/origins');
  if (origins.includes(origin)) return;
  await put('/v1/omni/origins', { origins: [...origins, origin] });
}

function loadWidget(): Promise<unknown> {
  if (document.querySelector(`script[src="${SCRIPT}"]`) === null) {
    const script = document.createElement('script');
    script.src = SCRIPT;
    document.head.append(script);
  }
  return customElements.whenDefined('trunkline-call');
}

export interface WidgetProps {
  readonly agentId: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly colours?: Readonly<Record<string, string>>;
}

/** The page's policy forbids style attributes, so colours are set as properties. */
export function WidgetElement({ agentId, attributes = {}, colours = {} }: WidgetProps) {
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<Error | null>(null);
  const looks = JSON.stringify([attributes, colours]);
  useEffect(() => {
    let call: HTMLElement | null = null;
    let gone = false;
    loadWidget().then(() => {
      if (gone) return;
      call = document.createElement('trunkline-call');
      call.lang = language();
      for (const [name, value] of Object.entries(attributes)) call.setAttribute(name, value);
      for (const [name, value] of Object.entries(colours)) call.style.setProperty(name, value);
      Object.assign(call, {
        getSession: async (transport: string) => {
          setError(null);
          try {
            await allowOrigin(location.origin);
            return await post('/v1/omni/sessions', { origin: location.origin, agent_id: agentId, transport });
          } catch (thrown) {
            setError(thrown as Error);
            throw thrown;
          }
        },
      });
      place.current?.replaceChildren(call);
    });
    return () => {
      gone = true;
      call?.remove();
    };
  }, [agentId, looks]);
  return (
    <>
      <ErrorNotice error={error} />
      <div ref={place} />
    </>
  );
}

export const AgentWidget = ({ agentId }: { readonly agentId: string }) => (
  <section class="card" aria-label={t('Talk to the agent')}>
    <h2>{t('Talk to the agent')}</h2>
    <p class="quiet">{t('The call goes through this browser’s microphone and speaker.')}</p>
    <WidgetElement agentId={agentId} />
  </section>
);
