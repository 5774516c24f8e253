import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type Json, post, put } from '../data/api.ts';
import { language, t } from '../i18n/index.ts';
import { ErrorNotice, LoadingState } from './page.tsx';

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
  /** Replaces settings of the agent in calls that begin afterwards. */
  readonly configuration?: Json | null;
}

/** The page's policy forbids style attributes, so colours are set as properties. */
export function WidgetElement({ agentId, attributes = {}, colours = {}, configuration }: WidgetProps) {
  // A call in progress goes on while the configuration of the next one is typed.
  const next = useRef(configuration);
  next.current = configuration;
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isThere, setThere] = useState(false);
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
            const configure = next.current ?? null;
            if (configure === null) call?.removeAttribute('configure');
            else call?.setAttribute('configure', JSON.stringify(configure));
            return await post('/v1/omni/sessions', {
              origin: location.origin,
              agent_id: agentId,
              transport,
              ...(configure === null ? {} : { configurable: Object.keys(configure) }),
            });
          } catch (thrown) {
            setError(thrown as Error);
            throw thrown;
          }
        },
      });
      place.current?.replaceChildren(call);
      setThere(true);
    });
    return () => {
      gone = true;
      call?.remove();
    };
  }, [agentId, looks]);
  return (
    <>
      <ErrorNotice error={error} />
      {!isThere && <LoadingState error={null} />}
      <div ref={place} />
    </>
  );
}

export interface AgentWidgetProps {
  readonly agentId: string;
  readonly configuration?: Json | null;
  readonly children?: ComponentChildren;
}

export const AgentWidget = ({ agentId, configuration = null, children }: AgentWidgetProps) => (
  <section class="card talk" aria-label={t('Talk to the agent')}>
    <h2>{t('Talk to the agent')}</h2>
    <p class="quiet">{t('The call goes through this browser’s microphone and speaker.')}</p>
    {children}
    <WidgetElement agentId={agentId} configuration={configuration} />
  </section>
);
