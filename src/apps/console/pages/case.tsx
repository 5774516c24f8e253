import { type Json, post } from '../data/api.ts';
import { orNothing } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { FactList, JsonBlock as Whole } from '../kit/fact-list.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

const FINAL = /^(submitted|cancelled)$/;

export function CaseOfNumber({ id }: { readonly id: string }) {
  const path = `/v1/telephony/compliance-cases/${id}`;
  const { data, error, reload } = useLoad(path, ({ state }) => state === 'extracting');
  if (data === null)
    return (
      <Page title={t('Compliance case')}>
        <LoadingState error={error} />
      </Page>
    );
  const upload = async ({ document_request_id, file }: Json) => {
    const form = new FormData();
    form.set('document_request_id', document_request_id);
    form.set('file', file);
    await post(`${path}/documents`, form);
    reload();
  };
  const requests: readonly Json[] = data.document_requests;
  return (
    <Page title={t('Compliance case')}>
      <div class="card">
        <FactList
          of={[
            [t('Id'), <code key="id">{data.id}</code>],
            [t('State'), <StateBadge key="state" of={data.state} />],
            [t('Network'), <StateBadge key="network" of={data.network_status} />],
            [t('Country'), data.country],
            [t('What for'), data.use_case],
            [t('Reference'), orNothing(data.network_reference)],
          ]}
        />
      </div>
      {data.missing.length > 0 && (
        <section class="card">
          <h2>{t('What is missing')}</h2>
          <ul>
            {data.missing.map((one: Json, index: number) => (
              <li key={index}>{one.message}</li>
            ))}
          </ul>
        </section>
      )}
      {requests.length > 0 && !FINAL.test(data.state) && (
        <section class="card">
          <h2>{t('Documents')}</h2>
          <Form
            submit={t('Upload')}
            fields={[
              {
                name: 'document_request_id',
                label: t('Document'),
                kind: 'choice',
                options: requests.map((one) => [one.id, one.label] as const),
                value: requests[0]?.id,
              },
              { name: 'file', label: t('File'), kind: 'file', needed: true },
            ]}
            onSubmit={upload}
          />
        </section>
      )}
      <Attestations of={data} path={path} then={reload} />
      <p class="row">
        {data.state === 'ready_for_submission' && (
          <ActionButton label={t('Submit')} main run={() => post(`${path}/submit`)} then={reload} />
        )}
        {!FINAL.test(data.state) && (
          <ActionButton
            label={t('Withdraw the case')}
            danger
            run={() => post(`${path}/cancel`)}
            then={reload}
          />
        )}
      </p>
      <details>
        <summary>{t('The whole record')}</summary>
        <Whole of={data} />
      </details>
    </Page>
  );
}

/** Attestations are given by name: the server accepts the release of a review only from an owner or admin. */
function Attestations({
  of,
  path,
  then,
}: {
  readonly of: Json;
  readonly path: string;
  readonly then: () => void;
}) {
  const given = new Set(of.attestations.map((one: Json) => one.attestation_request_id));
  const open = of.attestation_requests.filter((one: Json) => !given.has(one.id));
  if (open.length === 0 || FINAL.test(of.state)) return null;
  const attest = (id: string) => post(`${path}/attestations`, { attestation_request_id: id, accepted: true });
  return (
    <section class="card">
      <h2>{t('Attestations')}</h2>
      {open.map(({ id, text }: Json) => (
        <p key={id}>
          {text} <ActionButton label={t('I attest this')} of={id} run={() => attest(id)} then={then} />
        </p>
      ))}
    </section>
  );
}
