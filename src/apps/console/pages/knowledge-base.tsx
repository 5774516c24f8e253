import { useState } from 'preact/hooks';
import { type Json, patch, post, remove } from '../data/api.ts';
import { number, orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Form } from '../kit/form.tsx';
import { Icon } from '../kit/icon.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

const WORKING = /^(queued|fetching|processing|discovering)$/;

export function KnowledgeBase({ id }: { readonly id: string }) {
  const { data, error, reload } = useLoad(`/v1/knowledgebases/${id}`);
  const path = `/v1/knowledgebases/${id}`;
  if (data === null)
    return (
      <Page title={t('Knowledge')}>
        <LoadingState error={error} />
      </Page>
    );
  const isEmpty = data.documents === 0;
  return (
    <Page title={data.name}>
      <h2>{t('Documents')}</h2>
      <Resource
        caption={t('Documents')}
        path={`${path}/documents`}
        againWhile={({ status }) => WORKING.test(status)}
        nameOf={(row) => row.title}
        columns={[
          { label: t('Title'), of: (row) => row.title },
          { label: t('From'), of: (row) => row.url ?? row.file_name ?? row.source },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
          { label: t('Passages'), of: (row) => number(row.passages), numeric: true },
          { label: t('Why'), of: (row) => orNothing(row.error) },
        ]}
        create={{
          label: t('Add a document'),
          fields: [
            { name: 'file', label: t('File'), kind: 'file', hint: t('Or a text, or the address of a page.') },
            { name: 'text', label: t('Text'), kind: 'area' },
            { name: 'url', label: t('Address of a page') },
            { name: 'title', label: t('Title'), hint: t('Empty: the name of the file or the page.') },
          ],
          isOpen: isEmpty,
          send: async (values) => {
            const added = await addDocument(path, values);
            reload();
            return added;
          },
        }}
        acts={[
          {
            label: t('Read again'),
            when: (row) => row.source === 'url',
            run: (row) => quietly(post(`${path}/documents/${row.id}/refresh`)),
          },
          {
            label: t('Remove'),
            danger: true,
            run: (row) => quietly(remove(`${path}/documents/${row.id}`)),
          },
        ]}
      />
      <Answering id={id} />
      <Ask path={path} />
      <h2>{t('Unanswered questions')}</h2>
      <div class="card">
        <PagedTable
          caption={t('Gaps')}
          path={`${path}/gaps`}
          empty={t('Questions of callers that found nothing are listed here.')}
          columns={[
            { label: t('Question'), of: (row) => row.question },
            { label: t('Call'), of: (row) => <a href={to('calls', row.call_id)}>{time(row.created_at)}</a> },
          ]}
        />
      </div>
    </Page>
  );
}

function addDocument(path: string, { file, ...rest }: Json): Promise<Json> {
  if (!(file instanceof File)) return post(`${path}/documents`, rest);
  const form = new FormData();
  if (rest.title) form.set('title', rest.title);
  form.set('file', file);
  return post(`${path}/documents`, form);
}

function Answering({ id }: { readonly id: string }) {
  const { data, reload } = useLoad('/v1/agents?limit=100');
  const agents: readonly Json[] = data?.data ?? [];
  const answers = ({ knowledge_base_ids: bases }: Json): boolean => bases.includes(id);
  const attach = ({ id: agent, knowledge_base_ids: bases }: Json, has: boolean) =>
    patch(`/v1/agents/${agent}`, {
      knowledge_base_ids: has ? bases.filter((one: string) => one !== id) : [...bases, id],
    });
  return (
    <section class="card" aria-label={t('Agents that answer from it')}>
      <h2>{t('Agents that answer from it')}</h2>
      {data !== null && !agents.some(answers) && (
        <p class="quiet">{t('No agent answers from it yet: choose one.')}</p>
      )}
      {data !== null && agents.length === 0 && (
        <p>
          <a href={to('agents')}>{t('Make an agent')}</a>
        </p>
      )}
      <ul class="list">
        {agents.map((agent) => {
          const has = answers(agent);
          return (
            <li key={agent.id}>
              <Icon name={has ? 'done' : 'todo'} />
              <a class="grow" href={to('agents', agent.id)}>
                {agent.name}
              </a>
              {has && (
                <a class="button" href={to('agents', agent.id)}>
                  {t('Talk to it')} <span class="hidden">{agent.name}</span>
                </a>
              )}
              <ActionButton
                key={String(has)}
                label={has ? t('No longer answer from it') : t('Answer from it')}
                of={agent.name}
                danger={has}
                run={() => attach(agent, has)}
                then={reload}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Ask({ path }: { readonly path: string }) {
  const [passages, setPassages] = useState<readonly Json[] | null>(null);
  return (
    <div class="card">
      <h2>{t('Ask a question')}</h2>
      <Form
        submit={t('Find')}
        fields={[{ name: 'query', label: t('Question'), needed: true }]}
        onSubmit={async (values) => setPassages((await post(`${path}/query`, values)).passages)}
      />
      {passages !== null && (
        <ol>
          {passages.map((passage, index) => (
            <li key={`${passage.document_id} ${index}`}>
              <strong>{passage.title}</strong> ({number(passage.score, 2)}): {passage.text}
            </li>
          ))}
        </ol>
      )}
      {passages?.length === 0 && <p class="quiet">{t('Nothing answers this.')}</p>}
    </div>
  );
}
