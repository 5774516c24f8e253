import { useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { number } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Code, samplesOf } from '../kit/code.tsx';
import { Empty } from '../kit/empty.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { makeExampleBase } from './example-base.ts';

interface Answer {
  readonly base: string;
  readonly query: string;
  readonly passages: readonly Json[];
  readonly tookMs: number;
}

export function TryKnowledge() {
  const { data, error, reload } = useLoad('/v1/knowledgebases?limit=100');
  const [asked, setAsked] = useState<Answer | null>(null);
  const ask = async ({ base, query }: Json) => {
    const from = performance.now();
    const { passages } = await post(`/v1/knowledgebases/${base}/query`, { query });
    setAsked({ base, query, passages, tookMs: performance.now() - from });
  };
  return (
    <Page
      title={t('Search in knowledge')}
      lead={t('Ask what a caller might ask, and see which passages an agent would answer from.')}
    >
      {data === null ? (
        <LoadingState error={error} />
      ) : data.data.length === 0 ? (
        <div class="card">
          <Empty
            icon="book"
            says={t(
              'Agents answer from knowledge bases: documents, pages and files that are cut into passages.',
            )}
            example={{
              label: t('Load an example'),
              run: async () => {
                await makeExampleBase();
                reload();
              },
            }}
            samples={samplesOf('POST', '/v1/knowledgebases', { name: t('Opening hours') })}
          />
        </div>
      ) : (
        <div class="card">
          <Form
            submit={t('Find')}
            onSubmit={ask}
            fields={[
              {
                name: 'base',
                label: t('Knowledge'),
                kind: 'choice',
                options: data.data.map(({ id, name }: Json) => [id, name]),
                value: data.data[0].id,
              },
              { name: 'query', label: t('Question'), needed: true },
            ]}
          />
        </div>
      )}
      {asked !== null && <Found asked={asked} />}
    </Page>
  );
}

function Found({ asked: { base, query, passages, tookMs } }: { readonly asked: Answer }) {
  return (
    <>
      <section class="card" aria-label={t('Passages')}>
        <h2>{t('Passages')}</h2>
        {passages.length === 0 && (
          <p class="quiet">{t('Nothing answers this: an agent would say that it does not know.')}</p>
        )}
        {passages.map((passage, index) => (
          <div key={`${passage.document_id} ${index}`} class="passage">
            <div class="row">
              <strong>{passage.title}</strong>
              <meter min={0} max={1} value={passage.score} aria-label={t('Score')} />
              <span class="quiet">{number(passage.score, 2)}</span>
            </div>
            <div>{passage.text}</div>
          </div>
        ))}
        <p class="row ends">
          <span class="quiet small">{t('Found in {ms} ms', { ms: number(tookMs) })}</span>
          <a href={to('knowledge', base)}>{t('Open its documents')}</a>
        </p>
      </section>
      <section class="card">
        <h2>{t('The same from a program')}</h2>
        <Code samples={samplesOf('POST', `/v1/knowledgebases/${base}/query`, { query })} />
      </section>
    </>
  );
}
