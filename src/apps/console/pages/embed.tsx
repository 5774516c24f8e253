import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { LANGUAGES, language, t } from '../i18n/index.ts';
import { allowOrigin, WidgetElement } from '../kit/agent-widget.tsx';
import { Code } from '../kit/code.tsx';
import { Empty } from '../kit/empty.tsx';
import { type Field, Form } from '../kit/form.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { notify } from '../kit/toast.tsx';
import { makeFirstAgent } from './first-call.tsx';

/** The first version that has `position`, `texts` and `consent`. */
const WIDGET = 'v13';

interface Look {
  readonly agent: string;
  readonly origin: string;
  readonly lang: string;
  readonly position: string;
  readonly accent: string;
  readonly background: string;
  readonly call: string;
  readonly consent: string;
}

function attributesOf({ lang, position, call, consent }: Look): Record<string, string> {
  const attributes: Record<string, string> = { lang };
  if (position !== 'inline') attributes.position = position;
  if (call !== '') attributes.texts = JSON.stringify({ call });
  if (consent !== '') attributes.consent = consent;
  return attributes;
}

const coloursOf = ({ accent, background }: Look): Record<string, string> => ({
  '--trunkline-accent': accent,
  '--trunkline-background': background,
});

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

function pageOf(look: Look): string {
  const attributes = Object.entries(attributesOf(look)).map(([name, value]) => `${name}="${escaped(value)}"`);
  const colours = Object.entries(coloursOf(look)).map(([name, value]) => `  ${name}: ${value};`);
  return [
    `<script src="${location.origin}/widget/${WIDGET}/widget.js" defer></script>`,
    '<style>',
    'trunkline-call {',
    ...colours,
    '}',
    '</style>',
    `<trunkline-call session="/voice-session" ${attributes.join(' ')}></trunkline-call>`,
  ].join('\n');
}

const serverOf = ({ agent, origin }: Look): string => `// Node 20 or later: the key stays on your server.
import { createServer } from 'node:http';

createServer(async (request, response) => {
  if (request.method !== 'POST' || request.url !== '/voice-session') return response.writeHead(404).end();
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { transport } = JSON.parse(Buffer.concat(chunks).toString());
  const answer = await fetch('${location.origin}/v1/omni/sessions', {
    method: 'POST',
    headers: {
      authorization: \`Bearer \${process.env.TRUNKLINE_API_KEY}\`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ origin: '${origin}', agent_id: '${agent}', transport }),
  });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
}).listen(3000);
`;

const fieldsOf = (look: Look, agents: readonly Json[]): readonly Field[] => [
  {
    name: 'agent',
    label: t('Agent'),
    kind: 'choice',
    options: agents.map((agent) => [agent.id, agent.name]),
    value: look.agent,
  },
  {
    name: 'origin',
    label: t('Your site'),
    value: look.origin,
    needed: true,
    hint: t('Scheme and host, such as https://shop.example. Calls from other sites are refused.'),
  },
  {
    name: 'lang',
    label: t('Language of the button'),
    kind: 'choice',
    options: Object.entries(LANGUAGES),
    value: look.lang,
  },
  {
    name: 'position',
    label: t('Position'),
    kind: 'choice',
    options: [
      ['bottom-right', t('Bottom right')],
      ['bottom-left', t('Bottom left')],
      ['inline', t('Inline, at its place in the page')],
    ],
    value: look.position,
  },
  { name: 'accent', label: t('Colour of the button'), kind: 'color', value: look.accent },
  { name: 'background', label: t('Background'), kind: 'color', value: look.background },
  { name: 'call', label: t('Text of the button'), value: look.call },
  {
    name: 'consent',
    label: t('Consent'),
    kind: 'area',
    value: look.consent,
    hint: t('Callers agree to this text before their first call. Without a text they are not asked.'),
  },
];

export function Embed() {
  const { data, error } = useLoad('/v1/agents?limit=100');
  const [made, setMade] = useState<Json | null>(null);
  const [look, setLook] = useState<Look>({
    agent: '',
    origin: '',
    lang: language(),
    position: 'bottom-right',
    accent: '#1d4ed8',
    background: '#ffffff',
    call: '',
    consent: '',
  });
  if (data === null)
    return (
      <Page title={t('On your site')}>
        <LoadingState error={error} />
      </Page>
    );
  const agents: readonly Json[] = made === null ? data.data : [made, ...data.data];
  if (agents.length === 0)
    return (
      <Page title={t('On your site')}>
        <Empty
          icon="agent"
          says={t('A button on your site calls an agent. Make an agent first.')}
          example={{ label: t('Make an agent'), run: async () => setMade(await makeFirstAgent()) }}
        />
      </Page>
    );
  const shown = look.agent === '' ? { ...look, agent: agents[0].id } : look;
  const apply = async (values: Json) => {
    const next = { call: '', consent: '', ...values } as Look;
    await allowOrigin(next.origin);
    setLook(next);
    notify(t('Calls from {origin} are allowed.', { origin: next.origin }));
  };
  return (
    <Page
      title={t('On your site')}
      lead={t('A button on your site calls an agent. Choose how it looks, then copy the code.')}
    >
      <div class="two">
        <div class="card">
          <Form fields={fieldsOf(shown, agents)} submit={t('Show and allow')} onSubmit={apply} />
        </div>
        <div>
          <section class="card" aria-label={t('Preview')}>
            <h2>{t('Preview')}</h2>
            <div class="widget-preview">
              <WidgetElement
                agentId={shown.agent}
                attributes={attributesOf(shown)}
                colours={coloursOf(shown)}
              />
            </div>
          </section>
          <section class="card" aria-label={t('Code')}>
            <h2>{t('Code')}</h2>
            <p class="quiet">
              {t('The page asks your own server for a session; your server asks this one with a key.')}
            </p>
            <Code
              samples={[
                [t('Page'), pageOf(shown)],
                [t('Server'), serverOf(shown)],
              ]}
            />
          </section>
        </div>
      </div>
    </Page>
  );
}
