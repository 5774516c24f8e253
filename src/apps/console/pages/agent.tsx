import { useState } from 'preact/hooks';
import { get, type Json, patch, post } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { type Field, Form } from '../kit/form.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import { notify } from '../kit/toast.tsx';
import { CompareVersions } from './agent-compare.tsx';
import { changeOf, fieldsOf } from './agent-fields.ts';
import { PublishGate } from './agent-gate.tsx';
import { AgentLookups } from './agent-lookups.tsx';
import { Prompt } from './agent-prompt.tsx';
import { Versions } from './agent-versions.tsx';
import { TestCall } from './test-call.tsx';

const MOST = 100;
const rowsOf = (data: Json): readonly Json[] => data?.data ?? [];

/** Other parts of the page change the agent too: the form is built again where its own values changed, and keeps what is typed otherwise. */
const shownAs = (fields: readonly Field[]): string =>
  JSON.stringify(fields.map(({ value }) => value ?? null));

export function Agent({ id }: { readonly id: string }) {
  const path = `/v1/agents/${id}`;
  const { data: agent, error, reload } = useLoad(path);
  const voices = useLoad('/v1/voices');
  const tools = useLoad(`/v1/tools?limit=${MOST}`);
  const bases = useLoad(`/v1/knowledgebases?limit=${MOST}`);
  const versions = useLoad(`${path}/versions`);
  const [turn, setTurn] = useState(0);
  const [undone, setUndone] = useState(0);
  // The form shows these lists, and would lose what is typed if it were built again when one arrives.
  const isComplete = [voices, tools, bases].every(
    ({ data, error: failed }) => data !== null || failed !== null,
  );
  if (agent === null || !isComplete)
    return (
      <Page title={t('Agent')}>
        <LoadingState error={error} />
      </Page>
    );
  const changed = () => {
    reload();
    versions.reload();
    setTurn((one) => one + 1);
  };
  const offered = { voices: rowsOf(voices.data), tools: rowsOf(tools.data), bases: rowsOf(bases.data) };
  const fields = fieldsOf(agent, offered);
  return (
    <Page title={agent.name}>
      <ErrorNotice error={error} />
      <div class="two">
        <section>
          <div class="card settings" key={`${undone} ${shownAs(fields)}`}>
            <h2>{t('Settings')}</h2>
            <Form
              fields={fields}
              submit={t('Save')}
              isGuarded
              onSubmit={async (values) => {
                // A cut connection may have kept the versions from being read.
                const known = versions.data ?? (await get(`${path}/versions`));
                const before = rowsOf(known).find(({ percent }) => percent === 100);
                await patch(`${path}?draft=${values.draft}`, changeOf(agent, values));
                changed();
                if (values.draft) return notify(t('The draft is kept.'));
                const undo = async () => {
                  await post(`${path}/publish`, { version: before.version });
                  changed();
                  // The change may be undone before it was read again: the agent's values are then the same as before, but what is typed is not.
                  setUndone((one) => one + 1);
                };
                // Shares of several versions would not come back by publishing one.
                notify(t('Saved: the next call is served by it.'), before === undefined ? null : undo);
              }}
            />
          </div>
        </section>
        <section>
          <TestCall agent={agent} />
          <p>
            <a href={to('calls')}>{t('See the records of calls')}</a>
          </p>
          <div class="card">
            <h2>{t('Flow')}</h2>
            <p class="quiet">
              {agent.flow === null
                ? t('No flow: the model leads its calls freely.')
                : t('Steps that the engine enforces: {n}', { n: agent.flow.nodes.length })}
            </p>
            <a class="button" href={to('agents', id, 'flow')}>
              {t('Open the canvas')}
            </a>
          </div>
          <AgentLookups
            key={`${agent.version} ${turn} lookups`}
            agent={agent}
            tools={offered.tools}
            changed={changed}
          />
          {versions.data === null ? (
            <div class="card">
              <LoadingState error={versions.error} />
            </div>
          ) : (
            <Versions id={id} rows={rowsOf(versions.data)} changed={changed} />
          )}
          <CompareVersions id={id} rows={rowsOf(versions.data)} key={`${turn} compare`} />
          <PublishGate agent={agent} changed={changed} />
          <Prompt id={id} versions={rowsOf(versions.data)} key={turn} />
        </section>
      </div>
    </Page>
  );
}
